/// The name of one record in hand.
///
/// The generation tells the record from earlier records that had the same place in the table. So a completion
/// or a queue that still has the name of a dropped record can find out that the record is gone.
struct EntryID: Hashable, Sendable {
    let index: Int
    let generation: UInt32

    /// The name as one number, which travels with a request through librdkafka or libcurl.
    var packed: UInt64 { UInt64(self.generation) << 32 | UInt64(UInt32(truncatingIfNeeded: self.index)) }

    init(index: Int, generation: UInt32) {
        self.index = index
        self.generation = generation
    }

    init(packed: UInt64) {
        self.index = Int(packed & 0xFFFF_FFFF)
        self.generation = UInt32(packed >> 32)
    }
}
