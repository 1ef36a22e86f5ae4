/// The few bytes in which a worker notes the record that it is handling. They outlive the worker, however it
/// ends.
///
/// The bytes are written so that they can be read after a death at any instant: `isSet` is stored last and
/// cleared first. All numbers are little-endian.
///
///     0  magic   8  run   16  isSet   24  offset   32  partition   36  length of the topic   40  topic
struct CrashMark: Hashable, Sendable {
    /// The length of a mark.
    static let bytes = 512
    static let magic: UInt64 = 0x316B_726D_746C_6621

    enum Layout {
        static let magic = 0
        static let run = 8
        static let isSet = 16
        static let offset = 24
        static let partition = 32
        static let topicLength = 36
        static let topic = 40
    }

    /// Why bytes are not a readable mark.
    enum Fault: Error, Hashable {
        /// The bytes were not written by this program, or by another version of it.
        case foreign
        /// The bytes were written by this program, but no record can have that place.
        case senseless
    }

    /// The number of the run that wrote the mark.
    let run: UInt64
    /// The record that the run was handling.
    let place: CrashLedger.Place

    /// Reads the mark in a slot whose owner died.
    ///
    /// - Returns: The mark; nil if the owner was handling no record.
    /// - Throws: `Fault` if the bytes are not a readable mark.
    static func read(_ slot: [UInt8]) throws(Fault) -> CrashMark? {
        // All zeros: the file was created and not yet filled, because its owner died before it could begin.
        if slot.allSatisfy({ $0 == 0 }) { return nil }
        guard slot.count == Self.bytes, Self.number(slot, at: Layout.magic, bytes: 8) == Self.magic else {
            throw .foreign
        }
        switch Self.number(slot, at: Layout.isSet, bytes: 8) {
        case 0: return nil
        case 1: break
        default: throw .senseless
        }
        let length = Int(Self.number(slot, at: Layout.topicLength, bytes: 4))
        guard (1...CrashLedger.Place.topicLimit).contains(length) else { throw .senseless }
        let place = CrashLedger.Place(
            topic: String(decoding: slot[Layout.topic..<Layout.topic + length], as: UTF8.self),
            partition: Int32(truncatingIfNeeded: Self.number(slot, at: Layout.partition, bytes: 4)),
            offset: Int64(bitPattern: Self.number(slot, at: Layout.offset, bytes: 8))
        )
        guard let place else { throw .senseless }
        return CrashMark(run: Self.number(slot, at: Layout.run, bytes: 8), place: place)
    }

    /// Returns the bytes of a slot whose owner handles no record yet.
    static func blank(run: UInt64) -> [UInt8] {
        var slot = [UInt8](repeating: 0, count: Self.bytes)
        for byte in 0..<8 {
            slot[Layout.magic + byte] = UInt8(truncatingIfNeeded: Self.magic >> UInt64(8 * byte))
            slot[Layout.run + byte] = UInt8(truncatingIfNeeded: run >> UInt64(8 * byte))
        }
        return slot
    }

    private static func number(_ slot: [UInt8], at place: Int, bytes: Int) -> UInt64 {
        slot[place..<place + bytes].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
