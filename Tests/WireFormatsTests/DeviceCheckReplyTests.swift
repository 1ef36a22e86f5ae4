import TestMaterial
import Testing

@testable import WireFormats

@Suite struct DeviceCheckReplyTests {
    @Test func readsAllVectors() { #expect(DeviceCheckDecision.all.count == 28) }

    /// The vectors' word for what each reply leads to.
    private static func action(_ reply: DeviceCheckReply) -> String {
        switch reply {
        case .state: "STATE"
        case .notSet: "NOT_SET"
        case .done: "DONE"
        case .badDeviceToken: "REJECT_TOKEN"
        case .badAuthorization, .unauthorized, .badTimestamp, .misconfigured, .badPayload, .proxyRefused:
            "CONFIG"
        case .tooLarge: "REJECT"
        case .unexplained, .unreadable: "RETRY_LIMITED"
        case .unavailable: "RETRY"
        }
    }

    @Test(arguments: DeviceCheckDecision.all.filter { $0.http_status != nil })
    func decidesAsTheVectorsDo(row: DeviceCheckDecision) throws {
        let operation = try #require(DeviceCheckOperation(rawValue: row.op))
        let reply = DeviceCheckReply(
            to: operation,
            status: try #require(row.http_status),
            body: Array((row.body ?? "").utf8)
        )
        #expect(Self.action(reply) == row.action)
        if let state = row.result {
            let bits = DeviceBits(bit0: state.bit0, bit1: state.bit1)
            #expect(reply == .state(bits, lastUpdateMonth: state.last_update_time))
        }
    }

    @Test(
        arguments: [
            // A known text is searched for in the body, never the other way round: an empty body is no bad token.
            (400, "", .unexplained), (400, " \n", .unexplained), (400, "token", .unexplained),
            (400, "device", .unexplained), (400, "Bad Request", .unexplained), (400, "e", .unexplained),
            (400, "<html>Bad Device Token</html>", .unexplained),
            (400, "MISSING OR INCORRECTLY FORMATTED DEVICE TOKEN PAYLOAD", .badDeviceToken),
            (400, "Error: bad  device\r\ntoken.", .badDeviceToken),
            (400, "bad device_token", .badDeviceToken),
            (400, #"{"reason":"BadDeviceToken"}"#, .badDeviceToken),
            (400, "Bad Authorization Token", .badAuthorization),
            (400, "Missing or badly formatted authorization token for device token", .badAuthorization),
            (400, "Missing or incorrectly formatted time stamp", .badTimestamp),
            (400, "Bad Timestamp", .badTimestamp), (400, "Bad Bits", .misconfigured),
            (400, "Missing or incorrectly formatted transaction id", .misconfigured),
            (400, "Bad Payload", .badPayload),
            (401, "", .unauthorized), (401, "Bad Device Token", .unauthorized),
            (403, "Failed to find bit state", .misconfigured),
            (404, "Failed to find bit state", .misconfigured),
            (400, "Failed to find bit state", .unexplained), (503, "Bad Device Token", .unavailable),
            (201, "Bit State Not Found", .unreadable), (204, "", .unreadable), (302, "", .misconfigured),
            (413, "", .tooLarge), (414, "", .tooLarge), (431, "", .tooLarge),
            (407, "", .proxyRefused), (408, "", .unavailable), (425, "", .unavailable),
            (429, "", .unavailable),
            (599, "", .unavailable), (999, "", .unavailable),
            (200, "{}", .unreadable), (200, "[]", .unreadable), (200, "null", .unreadable),
            (200, #"{"bit0":true}"#, .unreadable), (200, #"{"bit0":true,"bit1":null}"#, .unreadable),
            (200, #"{"bit0":"true","bit1":"false"}"#, .unreadable),
            (200, #"{"bit_0":true,"bit_1":false}"#, .unreadable),
            (200, #"{"bit0":true,"bit1":false"#, .unreadable), (200, "OK", .unreadable),
            (200, "<html>Failed to find bit state</html>", .unreadable), (200, "find bit state", .unreadable),
            (200, "\"Bit State Not Found\"", .notSet), (200, "Failed to find bit state.", .notSet),
            (
                200, #"{"bit0":true,"bit1":false,"last_update_time":"2026-13"}"#,
                .state(DeviceBits(bit0: true, bit1: false), lastUpdateMonth: nil)
            ),
            (
                200, #"{"bit0":true,"bit1":false,"last_update_time":"2026-06-01"}"#,
                .state(DeviceBits(bit0: true, bit1: false), lastUpdateMonth: nil)
            ),
            (
                200, #"{"bit0":true,"bit1":false,"last_update_time":202606}"#,
                .state(DeviceBits(bit0: true, bit1: false), lastUpdateMonth: nil)
            ),
            (
                200, " {\"bit1\":false,\"more\":[{}],\"bit0\":true} \n",
                .state(DeviceBits(bit0: true, bit1: false), lastUpdateMonth: nil)
            ),
        ] as [(Int, String, DeviceCheckReply)]
    )
    func readsAQuerysAnswer(status: Int, body: String, expected: DeviceCheckReply) {
        #expect(DeviceCheckReply(to: .query, status: status, body: Array(body.utf8)) == expected)
    }

    @Test(arguments: [DeviceCheckOperation.update, .validate])
    func takesAnyTextButAPageForDone(operation: DeviceCheckOperation) {
        for body in ["", "OK", "{}", "anything"] {
            #expect(DeviceCheckReply(to: operation, status: 200, body: Array(body.utf8)) == .done)
        }
        for body in ["<html>Sign in</html>", " <!DOCTYPE html>", "\u{FEFF}<html>", "\u{FEFF} \u{FEFF}<html>"]
        {
            #expect(DeviceCheckReply(to: operation, status: 200, body: Array(body.utf8)) == .unreadable)
        }
    }

    /// In UTF-16, with a mark that says which.
    @Test(
        arguments: [[0xFF, 0xFE, 0x3C, 0x00, 0x68, 0x00], [0xFE, 0xFF, 0x00, 0x3C, 0x00, 0x68]] as [[UInt8]]
    )
    func aPageInAnotherEncodingIsNoAnswer(body: [UInt8]) {
        for operation in DeviceCheckOperation.allCases {
            #expect(DeviceCheckReply(to: operation, status: 200, body: body) == .unreadable)
        }
    }

    /// The client stops reading long before; this is what would be made of it if it did not.
    @Test func aHugeBodyIsNoAnswer() {
        let body =
            Array(#"{"bit0":true,"bit1":true,"x":""#.utf8)
            + [UInt8](repeating: UInt8(ascii: "x"), count: 50 << 20) + Array(#""}"#.utf8)
        for operation in DeviceCheckOperation.allCases {
            #expect(DeviceCheckReply(to: operation, status: 200, body: body) == .unreadable)
            #expect(DeviceCheckReply(to: operation, status: 400, body: body) == .unexplained)
        }
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func survivesNoise(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var body = Array(#"{"bit0":true,"bit1":false,"last_update_time":"2026-06"}"#.utf8)
        for _ in 0..<Int.random(in: 1...8, using: &random) {
            body[.random(in: 0..<body.count, using: &random)] = .random(in: 0...255, using: &random)
        }
        for status in [200, 400, 401, 500] {
            for length in 0...body.count {
                _ = DeviceCheckReply(to: .query, status: status, body: Array(body.prefix(length)))
            }
        }
    }
}
