import SwiftProtobuf
import Testing
import WireMessages

@testable import WireFormats

@Suite struct ProtobufWriterTests {
    typealias Message = Flotilla_Pusharrival_V1_PushArrivalResult

    /// Where the length of what is inside takes another byte.
    @Test(arguments: [0, 1, 124, 125, 126, 127, 128, 129, 16_379, 16_380, 16_381, 16_384, 20_000])
    func writesMessagesOfAnyLength(count: Int) {
        let text = String(repeating: "x", count: count)
        var message = Message()
        message.outcome.reason.message = text
        message.deviceID = "after"
        var writer = ProtobufWriter(reserving: 0)
        writer.message(1) { $0.message(6) { $0.string(2, text) } }
        writer.string(8, "after")
        #expect(writer.bytes == message.encoded())
    }

    @Test(arguments: [0, 1, 127, 128, 16_383, 16_384, -1, .min, .max] as [Int64])
    func writesAnyNumber(number: Int64) {
        var message = Message()
        message.correctedMs = number
        message.outcome.attempts = Int32(truncatingIfNeeded: number)
        var writer = ProtobufWriter(reserving: 0)
        writer.message(1) { $0.optionalInt64(7, Int64(Int32(truncatingIfNeeded: number))) }
        writer.optionalInt64(13, number)
        #expect(writer.bytes == message.encoded())
    }

    /// An absent value takes no bytes, and an empty one or a zero does where that says something.
    @Test func leavesOutWhatSaysNothing() {
        var writer = ProtobufWriter(reserving: 0)
        writer.string(1, "")
        writer.int64(1, 0)
        writer.bool(1, false)
        writer.optionalString(1, nil)
        writer.optionalInt64(1, nil)
        writer.optionalBool(1, nil)
        #expect(writer.bytes.isEmpty)
        writer.optionalString(1, "")
        writer.optionalInt64(2, 0)
        writer.optionalBool(3, false)
        #expect(writer.bytes == [0x0A, 0, 0x10, 0, 0x18, 0])
    }
}
