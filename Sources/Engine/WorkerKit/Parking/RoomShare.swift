/// The part of one waiting room's records that stays in hand when the others are parked.
struct RoomShare: Hashable, Sendable {
    /// The most records that stay.
    var records: Int
    /// The most bytes that these records take.
    var bytes: Int
    /// A record leaves in any case if more offsets lie between it and the record that was read last.
    var stale = Int64(PartitionProgress.window / 2)
    /// Whether only records that came back are counted and parked.
    var isOfUnparked = false

    /// Everything in a room but the records that hold the position of their partition back.
    static let late = RoomShare(records: .max, bytes: .max, stale: Int64(PartitionProgress.window / 16))

    /// Whether the records queued behind one that stays leave, because they would exceed the share.
    var leavesFollowers: Bool { self.records < .max }
}
