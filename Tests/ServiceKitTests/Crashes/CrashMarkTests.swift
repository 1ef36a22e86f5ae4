import Testing

@testable import ServiceKit

struct CrashMarkTests {
    /// A slot as a worker leaves it that died while it handled a record.
    private static func slot(
        isSet: UInt8 = 1,
        offset: Int64 = 1_042,
        partition: Int32 = 3,
        topic: [UInt8] = Array("activation".utf8),
        length: Int? = nil
    ) -> [UInt8] {
        var slot = CrashMark.blank(run: 0x0102_0304_0506_0708)
        slot[16] = isSet
        for byte in 0..<8 { slot[24 + byte] = UInt8(truncatingIfNeeded: offset >> Int64(8 * byte)) }
        for byte in 0..<4 { slot[32 + byte] = UInt8(truncatingIfNeeded: partition >> Int32(8 * byte)) }
        for byte in 0..<4 {
            slot[36 + byte] = UInt8(truncatingIfNeeded: (length ?? topic.count) >> (8 * byte))
        }
        slot.replaceSubrange(40..<40 + topic.count, with: topic)
        return slot
    }

    @Test func namesTheRunAndTheRecord() throws {
        let mark = try #require(try CrashMark.read(Self.slot()))
        #expect(mark.run == 0x0102_0304_0506_0708)
        #expect(mark.place == CrashLedger.Place(topic: "activation", partition: 3, offset: 1_042))
    }

    @Test func saysNothingUntilItIsSet() throws {
        #expect(try CrashMark.read(Self.slot(isSet: 0)) == nil)
        #expect(try CrashMark.read(CrashMark.blank(run: 9)) == nil)
        // A file that was made, and its maker died.
        #expect(try CrashMark.read([]) == nil)
        #expect(try CrashMark.read([UInt8](repeating: 0, count: CrashMark.bytes)) == nil)
    }

    @Test func whatIsNotOursIsToldApart() {
        #expect(throws: CrashMark.Fault.foreign) { try CrashMark.read(Array("something else".utf8)) }
        #expect(throws: CrashMark.Fault.foreign) { try CrashMark.read(Self.slot().dropLast()) }
        #expect(throws: CrashMark.Fault.foreign) { try CrashMark.read(Self.slot() + [0]) }
        var other = Self.slot()
        other[0] ^= 1
        #expect(throws: CrashMark.Fault.foreign) { try CrashMark.read(other) }
    }

    @Test func whatCanBeNoRecordIsToldApart() {
        let slots = [
            Self.slot(isSet: 2), Self.slot(offset: -1), Self.slot(partition: -1), Self.slot(topic: []),
            Self.slot(length: 250), Self.slot(length: -1), Self.slot(topic: [0xFF, 0xFE]),
            Self.slot(topic: Array("a/b".utf8)),
        ]
        for slot in slots { #expect(throws: CrashMark.Fault.senseless) { try CrashMark.read(slot) } }
    }

    @Test(arguments: 0..<300)
    func noBytesEndTheProcess(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var slot = Self.slot()
        for _ in 0..<Int.random(in: 1...30, using: &random) {
            slot[.random(in: 8..<80, using: &random)] = .random(in: 0...255, using: &random)
        }
        // The damaged mark is a record of Kafka's or a fault.
        if let mark = try? CrashMark.read(slot) {
            #expect(mark.place.offset >= 0 && mark.place.partition >= 0)
        }
    }
}
