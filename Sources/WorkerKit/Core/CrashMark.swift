/// The few bytes in which a worker says which record it is handling: they outlive it, however it ends.
///
/// They are written so that they can be read after a death at any instant: `isSet` last, and taken back first. All
/// numbers are little-endian.
///
///     0  magic   8  run   16  isSet   24  offset   32  partition   36  length of the topic   40  topic
package struct CrashMark: Hashable, Sendable {
    package static let bytes = 512
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

    package enum Fault: Error, Hashable {
        /// Not written by us, or by another version of us.
        case foreign
        /// Ours, and no record can be meant.
        case senseless
    }

    package let run: UInt64
    package let place: CrashLedger.Place

    /// What a slot said when its owner died.
    ///
    /// - Returns: nil if it was handling no record.
    package static func read(_ slot: [UInt8]) throws(Fault) -> CrashMark? {
        // A file that was made and not yet filled: its owner died before it could begin.
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

    /// A slot whose owner handles nothing yet.
    package static func blank(run: UInt64) -> [UInt8] {
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
