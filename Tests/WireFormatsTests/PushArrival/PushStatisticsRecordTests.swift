import Foundation
import Records
import SwiftProtobuf
import TestMaterial
import Testing
import WireMessages

@testable import WireFormats

@Suite struct PushStatisticsRecordTests {
    typealias Message = Flotilla_Pusharrival_V1_PushStatistics

    static var full: PushStatisticsRecord {
        var record = PushStatisticsRecord(provider: "fcm", appBundle: "com.example.app", messageID: "m-\"1")
        record.campaignID = "c-1"
        (record.version, record.isComplete) = (7, true)
        (record.accepted, record.rejected) = (8, 2)
        record.rejectedReasons = ["Unregistered": 1, "a \"quoted\"\n one": 1]
        (record.eligible, record.arrived, record.shown, record.opened, record.dismissed) = (6, 3, 2, 1, 4)
        (record.attachmentsShown, record.converted) = (1, 1)
        record.conversionValueMicros = ["USD": 7, "EUR": 5]
        record.lag.edgesMS = [60_000, 300_000]
        record.lag.histogram = [1, 0, 2]
        (record.lag.p50MS, record.lag.p90MS, record.lag.unknown) = (310_000, 0, 5)
        record.lag.sketch = LagSketch([(index: 0, count: 1), (index: 330, count: 2)])
        record.hours = ArrivalHours([(hour: -1, count: 1), (hour: 498_680, count: 2)])
        (record.duplicates, record.lateDropped, record.ineligible) = (9, 10, 11)
        (record.unknownDevice, record.skewAdjusted) = (12, 13)
        (record.firstArrivalMS, record.lastArrivalMS) = (0, 1_795_248_000_001)
        (record.sentMS, record.updatedMS) = (1_795_248_000_000, 1_795_248_000_002)
        return record
    }

    static var cases: [PushStatisticsRecord] {
        var day = PushStatisticsRecord(provider: "apns", appBundle: "", messageID: "unknown")
        day.window = .day("2026-11-21")
        var segment = Self.full
        (segment.messageID, segment.window) = ("all", .segment(.osVersion, "17.5", day: "2026-11-21"))
        var large = Self.full
        (large.accepted, large.rejected, large.arrived) = (1 << 53, 1 << 53, 1 << 53)
        (large.eligible, large.isComplete) = (3, false)
        var bare = Self.full
        (bare.lag, bare.rejectedReasons) = (PushStatisticsRecord.Lag(), [:])
        (bare.firstArrivalMS, bare.lastArrivalMS, bare.sentMS) = (nil, nil, nil)
        return [Self.full, day, segment, large, bare, .init(provider: "p", appBundle: "a", messageID: "m")]
    }

    static func decode(_ value: [UInt8]?) throws -> PushStatisticsRecord {
        try PushStatisticsRecord(
            decoding: InboundRecord(topic: "push-arrival.stats", partition: 0, offset: 1, value: value)
        )
    }

    @Test func isReadAgainAsItWasWritten() throws {
        for record in Self.cases {
            for format in ValueFormat.allCases {
                #expect(try Self.decode(record.encoded(as: format)) == record, "\(format)")
            }
        }
    }

    @Test func writesTheSameAsTheGeneralEncoder() throws {
        for record in Self.cases {
            let json = record.encoded(as: .json)
            #expect(
                try Message(jsonUTF8Bytes: json) == record.message,
                "\(String(decoding: json, as: UTF8.self))"
            )
            #expect(try Message(serializedBytes: record.encoded(as: .protobuf)) == record.message)
            let canonical: [UInt8] = try record.message.jsonUTF8Bytes()
            #expect(try Self.decode(canonical) == record)
        }
    }

    @Test func writesTheSameBytesEveryTime() {
        var record = Self.full
        for number in 0..<50 { record.rejectedReasons["r-\(number)"] = 1 }
        let again = Dictionary(uniqueKeysWithValues: record.rejectedReasons.reversed().map { ($0, $1) })
        var other = record
        other.rejectedReasons = again
        for format in ValueFormat.allCases {
            #expect(record.encoded(as: format) == other.encoded(as: format))
        }
    }

    @Test func writesThisVeryText() {
        let text = String(decoding: Self.full.encoded(as: .json), as: UTF8.self)
        #expect(
            text
                == #"{"provider":"fcm","appBundle":"com.example.app","messageId":"m-\"1","campaignId":"c-1","#
                + #""window":"cohort","version":7,"complete":true,"sent":10,"accepted":8,"rejected":2,"#
                + #""rejectedReasons":{"Unregistered":1,"a \"quoted\"\u000a one":1},"eligible":6,"arrived":3,"#
                + #""shown":2,"opened":1,"dismissed":4,"attachmentsShown":1,"converted":1,"#
                + #""conversionValueMicros":{"EUR":5,"USD":7},"unregistered":1,"#
                + #""arrivalRate":0.375,"eligibleArrivalRate":0.5,"#
                + #""shownRate":0.6666666666666666,"openRate":0.3333333333333333,"ctr":0.125,"#
                + #""attachmentRate":0.5,"conversionRate":1.0,"#
                + #""lagEdgesMs":[60000,300000],"lagHist":[1,0,2],"lagP50Ms":310000,"lagP90Ms":0,"#
                + #""lagSketchIndex":[0,330],"lagSketchCount":[1,2],"lagUnknown":5,"#
                + #""arrivalHour":[-1,498680],"arrivalHourCount":[1,2],"duplicates":9,"#
                + #""lateDropped":10,"ineligible":11,"unknownDevice":12,"skewAdjusted":13,"#
                + #""firstArrivalMs":0,"lastArrivalMs":1795248000001,"sentMs":1795248000000,"#
                + #""updatedMs":1795248000002}"#
        )
        let bare = PushStatisticsRecord(provider: "p", appBundle: "", messageID: "m")
        let nothing = String(decoding: bare.encoded(as: .json), as: UTF8.self)
        for part in [
            #""appBundle":"""#, #""sent":0"#, #""arrivalRate":null"#, #""ctr":null"#,
            #""rejectedReasons":{}"#, #""lagHist":[]"#, #""lagP50Ms":null"#, #""sentMs":null"#,
            #""complete":false"#,
        ] {
            #expect(nothing.contains(part), "\(part)")
        }
    }

    @Test(
        arguments: [
            (0, 0, 0, 0, 0, nil, nil, nil, nil, nil), (4, 2, 3, 1, 2, 0.75, 1.5, 1.0 / 3, 2.0 / 3, 0.5),
            (1, 1, 3, 0, 0, 3.0, 3.0, 0.0, 0.0, 0.0), (0, 0, 2, 1, 1, nil, nil, 0.5, 0.5, nil),
            (5, 0, 0, 0, 1, 0.0, nil, nil, nil, 0.2),
        ] as [(Int64, Int64, Int64, Int64, Int64, Double?, Double?, Double?, Double?, Double?)]
    )
    func hasRatesWithTheirNames(
        accepted: Int64,
        eligible: Int64,
        arrived: Int64,
        shown: Int64,
        opened: Int64,
        arrivalRate: Double?,
        eligibleArrivalRate: Double?,
        shownRate: Double?,
        openRate: Double?,
        clickThroughRate: Double?
    ) {
        var record = PushStatisticsRecord(provider: "p", appBundle: "a", messageID: "m")
        (record.accepted, record.eligible, record.arrived) = (accepted, eligible, arrived)
        (record.shown, record.opened, record.rejected) = (shown, opened, 5)
        #expect(record.arrivalRate == arrivalRate && record.eligibleArrivalRate == eligibleArrivalRate)
        #expect(record.shownRate == shownRate && record.openRate == openRate)
        #expect(record.clickThroughRate == clickThroughRate && record.sent == accepted + 5)
    }

    typealias Change = @Sendable (inout Message) -> Void

    static let invalid: [(code: String, change: Change)] = [
        ("window.unknown", { $0.window = "" }), ("window.unknown", { $0.window = "hour" }),
        ("window.unknown", { $0.window = "day" }),
        ("window.unknown", { ($0.window, $0.day) = ("day", "2026-13-01") }),
        ("window.unknown", { ($0.window, $0.day) = ("day", "2026-1-1") }),
        ("window.unknown", { $0.day = "2026-11-21" }),
        ("message_id.missing", { $0.messageID = "" }),
        ("count.malformed", { $0.accepted = -1 }), ("count.malformed", { $0.rejected = .max }),
        ("count.malformed", { $0.arrived = (1 << 53) + 1 }), ("count.malformed", { $0.version = -1 }),
        ("count.malformed", { $0.rejectedReasons = ["x": -1] }), ("count.malformed", { $0.lagHist[0] = -1 }),
        ("count.malformed", { $0.arrivalHourCount[0] = -1 }),
        ("arrival_hour.malformed", { $0.arrivalHour = [0] }),
        ("arrival_hour.malformed", { $0.arrivalHour.reverse() }),
        ("count.malformed", { $0.lagSketchCount[0] = -1 }), ("count.malformed", { $0.lagP50Ms = -1 }),
        ("count.malformed", { $0.lagP90Ms = .max }), ("count.malformed", { $0.lagEdgesMs[0] = -1 }),
        ("count.malformed", { $0.eligible = -1 }), ("count.malformed", { $0.shown = -1 }),
        ("count.malformed", { $0.opened = -1 }), ("count.malformed", { $0.dismissed = -1 }),
        ("count.malformed", { $0.lagUnknown = -1 }), ("count.malformed", { $0.duplicates = -1 }),
        ("count.malformed", { $0.lateDropped = -1 }), ("count.malformed", { $0.ineligible = -1 }),
        ("count.malformed", { $0.unknownDevice = -1 }), ("count.malformed", { $0.skewAdjusted = -1 }),
        ("time.malformed", { $0.updatedMs = .max }), ("time.malformed", { $0.firstArrivalMs = .min }),
        ("time.malformed", { $0.lastArrivalMs = .max }), ("time.malformed", { $0.sentMs = .max }),
        ("lag_hist.malformed", { $0.lagHist = [1] }), ("lag_hist.malformed", { $0.lagEdgesMs = [] }),
        ("lag_hist.malformed", { $0.lagEdgesMs = [5, 5] }),
        ("lag_sketch.malformed", { $0.lagSketchIndex = [1] }),
        ("lag_sketch.malformed", { $0.lagSketchIndex = [-1, 2] }),
        ("lag_sketch.malformed", { $0.lagSketchIndex = [2, 1] }),
    ]

    @Test(arguments: invalid.indices)
    func refuses(index: Int) throws {
        let (code, change) = Self.invalid[index]
        var message = Self.full.message
        change(&message)
        let fault = #expect(throws: RecordFault.self) { try Self.decode(message.encoded()) }
        #expect(fault?.reason.code == code)
    }

    @Test func readsPlainNumbersAndLeavesOutWhatIsUnknown() throws {
        let text = """
            {"provider":"jpush","appBundle":"app","messageId":"29273432613945685","window":"day","day":"2026-11-22",\
            "version":9007199254740991,"complete":true,"accepted":9007199254740992,"arrivalRate":null,\
            "lagP50Ms":null,"somethingNew":{"deep":[1,2]},"lagSketchIndex":[0,5],"lagSketchCount":[1,2]}
            """
        let statistics = try Self.decode(Array(text.utf8))
        #expect(statistics.key.messageID == "29273432613945685" && statistics.key.day == "2026-11-22")
        #expect(statistics.version == 9_007_199_254_740_991 && statistics.accepted == 9_007_199_254_740_992)
        #expect(statistics.isComplete && statistics.lag.p50MS == nil && statistics.firstArrivalMS == nil)
        #expect(statistics.lag.sketch.total == 3)
        #expect(PushStatisticsRecord(of: statistics.key).window == .day("2026-11-22"))
    }

    /// No worker of ours writes such a bucket, and no lag can be in it.
    @Test func bucketsThatNoLagCanHaveAreLeftOut() throws {
        var message = Self.full.message
        message.lagSketchIndex = [0, 330, Int32(LagSketch.lastIndex) + 1, .max]
        message.lagSketchCount = [1, 2, 4, 1 << 53]
        #expect(try Self.decode(message.encoded()).lag.sketch == Self.full.lag.sketch)
    }

    @Test func refusesWhatIsLargerThanTheReaderAllows() throws {
        let value = Self.full.encoded(as: .json)
        let record = InboundRecord(topic: "push-arrival.stats", partition: 0, offset: 1, value: value)
        #expect(try PushStatisticsRecord(decoding: record, bytesLimit: value.count) == Self.full)
        #expect(throws: RecordFault.self) {
            try PushStatisticsRecord(decoding: record, bytesLimit: value.count - 1)
        }
    }

    @Test(
        arguments: [nil, [], [0xFF]]
            + [
                "{", "[]", "{}", "x", "{\"messageId\":7}", "{\"messageId\":\"m\",\"accepted\":\"many\"}",
                "{\"messageId\":\"m\",\"accepted\":99999999999999999999}",
                "{\"messageId\":\"m\",\"rejectedReasons\":[1]}", String(repeating: "{\"a\":", count: 5_000),
            ].map { Array($0.utf8) }
    )
    func cannotReadTheseBytes(bytes: [UInt8]?) {
        #expect(throws: RecordFault.self) { try Self.decode(bytes) }
    }

    @Test func everyRecordThatIsWrittenIsValid() throws {
        let schema = try SchemaTests.schema("push-arrival.stats")
        for record in Self.cases {
            let json = record.encoded(as: .json)
            #expect(try schema.objections(to: json) == [], "\(String(decoding: json, as: UTF8.self))")
        }
    }
}
