import Logging
import Testing

@testable import ServiceKit

struct OperatorOrderTests {
    @Test(
        arguments: [
            .pause(.worker), .pause(.lane("112233")), .pause(.endpoint("sandbox")), .resume(.worker),
            .resume(.lane("Ä \"1\"")), .release, .drain, .logLevel(.debug), .logLevel(nil), .concurrency(8),
            .concurrency(nil), .rate(0.5), .rate(nil), .callLog(lane: nil, calls: 20),
            .callLog(lane: "112233", calls: 0),
        ] as [OperatorOrder]
    )
    func isReadAsItWasWritten(order: OperatorOrder) throws {
        #expect(try OperatorOrder(json: Array(try order.json().utf8)) == order)
    }

    @Test(
        arguments: [
            ("", "an order is a JSON object"), ("[]", "an order is a JSON object"),
            ("{}", "an order is a JSON object"),
            (#"{"order":7}"#, "an order is a JSON object"),
            (#"{"order":"stop"}"#, "'stop' is no order"),
            (#"{"order":"pause","lane":""}"#, "the name of a lane has 1 to 512 bytes"),
            (#"{"order":"pause","lane":"a","endpoint":"b"}"#, "not both"),
            (#"{"order":"rate","rate":0}"#, "a rate is from 0.01"),
            (#"{"order":"rate","rate":-1}"#, "a rate is from 0.01"),
            (#"{"order":"rate","rate":1e300}"#, "a rate is from 0.01"),
            (#"{"order":"call-log"}"#, "0 to 1000"), (#"{"order":"call-log","calls":1001}"#, "0 to 1000"),
            (#"{"order":"call-log","calls":1,"endpoint":"a"}"#, "not of an endpoint"),
            (#"{"order":"log-level","level":"loud"}"#, "'loud' is no level"),
        ]
    )
    func isRefusedWithTheReason(json: String, reason: String) {
        let refusal = #expect(throws: OperatorOrder.Refusal.self) {
            _ = try OperatorOrder(json: Array(json.utf8))
        }
        #expect(refusal?.description.contains(reason) == true)
    }

    @Test func aNameThatIsTooLongIsRefused() {
        let json = #"{"order":"pause","lane":""# + String(repeating: "x", count: 513) + #""}"#
        #expect(throws: OperatorOrder.Refusal.self) { _ = try OperatorOrder(json: Array(json.utf8)) }
    }
}
