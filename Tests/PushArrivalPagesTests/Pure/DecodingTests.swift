import PushArrivalPages
import Records
import Testing
import WireMessages

/// What the statistics topic may hold.
struct DecodingTests {
    @Test(arguments: ["application/json", "application/x-protobuf", nil])
    func readsEveryForm(contentType: String?) throws {
        let message = Samples.message(version: 12, updatedAt: 1_790_000_000_000)
        let statistics = try Samples.statistics(message, as: contentType)
        #expect(
            statistics.key
                == MessageKey(provider: "apns", app: "com.example.shop", message: "spring-sale-0412")
        )
        #expect(statistics.campaign == "spring-sale" && statistics.version == 12 && !statistics.isComplete)
        #expect([statistics.sent, statistics.accepted, statistics.rejected] == [120_000, 118_240, 1_760])
        #expect(
            statistics.rejectedReasons.map(\.code) == ["Unregistered", "BadDeviceToken", "TooManyRequests"]
        )
        #expect([statistics.eligible, statistics.arrived, statistics.shown] == [115_284, 96_310, 93_100])
        #expect([statistics.opened, statistics.dismissed, statistics.duplicates] == [7_408, 19_262, 4_012])
        #expect([statistics.late, statistics.ineligible, statistics.unknownDevice] == [12, 3, 41])
        #expect([statistics.skewAdjusted, statistics.lagUnknown] == [1_070, message.lagUnknown])
        #expect(statistics.lags.total + statistics.lagUnknown == 96_310)
        #expect(statistics.lagMedian == message.lagP50Ms && statistics.lagNinetieth == message.lagP90Ms)
        #expect(statistics.sentAt == 1_789_994_600_000)
        #expect(statistics.firstArrival == message.firstArrivalMs)
        #expect(statistics.lastArrival == message.lastArrivalMs && statistics.updatedAt == 1_790_000_000_000)
    }

    @Test func readsPlainNumbersAndLeavesOutWhatIsUnknown() throws {
        let text = """
            {"provider":"jpush","appBundle":"app","messageId":"29273432613945685","window":"day","day":"2026-11-22",\
            "version":9007199254740993,"complete":true,"accepted":9007199254740995,"arrivalRate":null,\
            "lagP50Ms":null,"somethingNew":{"deep":[1,2]},"lagSketchIndex":[0,5],"lagSketchCount":[1,2]}
            """
        let statistics = try MessageStatistics(of: Samples.inbound(Array(text.utf8)))
        #expect(statistics.key.message == "29273432613945685" && statistics.key.day == "2026-11-22")
        #expect(statistics.version == 9_007_199_254_740_993 && statistics.accepted == 9_007_199_254_740_995)
        #expect(statistics.isComplete && statistics.lagMedian == nil && statistics.firstArrival == nil)
        #expect(statistics.lags.total == 3)
    }

    @Test(arguments: [
        "{", "[]", "{}", "x", "", "{\"messageId\":7}", "{\"messageId\":\"\"}",
        "{\"messageId\":\"m\",\"sent\":\"many\"}",
        "{\"messageId\":\"m\",\"sent\":99999999999999999999}",
        "{\"messageId\":\"m\",\"rejectedReasons\":[1]}",
        String(repeating: "{\"a\":", count: 5_000),
        "{\"messageId\":\"" + String(repeating: "m", count: 70_000) + "\"}",
    ])
    func refusesWhatIsNoStatistics(text: String) {
        #expect(throws: (any Error).self) { try MessageStatistics(of: Samples.inbound(Array(text.utf8))) }
    }

    @Test func refusesWhatIsNoneInItsOwnForm() {
        #expect(throws: (any Error).self) { try MessageStatistics(of: Samples.inbound(nil)) }
        for type in ["text/plain", "application/x-protobuf"] {
            let headers = [RecordHeader("content-type", type)]
            let value: [UInt8] = Array("{\"messageId\":\"m\"}".utf8)
            #expect(throws: (any Error).self) { try MessageStatistics(of: Samples.inbound(value, headers)) }
        }
    }

    @Test func nothingIsNegativeAndNothingWithoutABound() throws {
        let reasons = (0..<500).map { "\"r\($0)\":\($0 - 100)" }.joined(separator: ",")
        let text = """
            {"messageId":"m","sent":-5,"accepted":-1,"arrived":-7,"lagP50Ms":-3,"rejectedReasons":{\(reasons)},\
            "lagSketchIndex":[-1,0,631,2147483647,7,7],"lagSketchCount":[5,-2,5,5,9223372036854775807,1]}
            """
        let statistics = try MessageStatistics(of: Samples.inbound(Array(text.utf8)))
        #expect([statistics.sent, statistics.accepted, statistics.arrived] == [0, 0, 0])
        #expect(statistics.lagMedian == 0)
        #expect(statistics.rejectedReasons.count == 50 && statistics.rejectedReasons.first?.code == "r499")
        #expect(statistics.lags.buckets.map(\.index) == [7] && statistics.lags.total == .max)
    }
}
