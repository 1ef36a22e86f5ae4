import FlotillaRecords
import Foundation
import Testing
import WorkerTestSupport

/// Publishers and readers in Swift get from a topic's records what the schemas say.
struct RecordContentTests {
    /// The bytes of each example of a topic, by the names of the files.
    private static func examples(of topic: String) throws -> [String: [UInt8]] {
        let folder = Documents.root.appending(path: "Schemas/examples/\(topic)")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path())
        try #require(names.count >= 5)
        return try Dictionary(
            uniqueKeysWithValues: names.map { ($0, Array(try Data(contentsOf: folder.appending(path: $0)))) }
        )
    }

    private static func check<Content: RecordContent>(_ type: Content.Type) throws {
        for (name, bytes) in try self.examples(of: Content.topic) {
            let content = try Content(decoding: Record(topic: Content.topic, value: bytes))
            #expect(content != Content(), "\(Content.topic)/\(name)")
            for format in RecordFormat.allCases {
                let record = try content.record(as: format)
                #expect(record.topic == Content.topic)
                let read = Record(topic: record.topic, value: record.value, headers: record.headers)
                #expect(try Content(decoding: read) == content, "\(Content.topic)/\(name) as \(format)")
            }
        }
    }

    /// The words of a schema that are other words in Swift.
    private static let otherWords = [
        "op": "operation", "ctr": "clickThroughRate", "lagHist": "lagHistogram", "upload": "counts",
        "event": "eventID",
    ]

    /// A field without a property is out of the reach of a publisher and a reader in Swift.
    @Test(arguments: [
        ("Activation", "activation"), ("ActivationResult", "activation.result"),
        ("DeviceCheck", "devicecheck"), ("DeviceCheckResult", "devicecheck.result"), ("Receipt", "receipt"),
        ("ReceiptResult", "receipt.result"), ("PushEvent", "push-arrival"),
        ("PushArrivalResult", "push-arrival.result"), ("PushStatistics", "push-arrival.stats"),
        ("PushForwardBatch", "push-arrival.forward"), ("PushForwardResult", "push-arrival.forward.result"),
        ("SDKUploadResult", "sdk-upload.result"),
    ])
    func everyFieldOfASchemaHasAProperty(type: String, schema: String) throws {
        let surface = try String(
            contentsOf: Documents.root.appending(path: "Tests/HouseTests/PublicSurface.txt"),
            encoding: .utf8
        )
        let start = "FlotillaRecords \(type): var "
        let properties = Set(
            surface.split(separator: "\n").filter { $0.hasPrefix(start) }
                .map { $0.dropFirst(start.count).prefix { $0 != ":" }.lowercased() }
        )
        let bytes = try Data(contentsOf: Documents.root.appending(path: "Schemas/json/\(schema).schema.json"))
        let document = try #require(JSONSerialization.jsonObject(with: bytes) as? [String: Any])
        let fields = try #require(document["properties"] as? [String: Any]).keys
        let missing = fields.filter { field in
            let name = (Self.otherWords[field] ?? field).lowercased()
            return !properties.contains(name) && !properties.contains(name + "ms")
        }
        #expect(missing.sorted() == [])
    }

    @Test func readsAndWritesEveryExample() throws {
        try Self.check(Activation.self)
        try Self.check(ActivationResult.self)
        try Self.check(DeviceCheck.self)
        try Self.check(DeviceCheckResult.self)
        try Self.check(Receipt.self)
        try Self.check(ReceiptResult.self)
        try Self.check(PushArrivalResult.self)
        try Self.check(PushStatistics.self)
        try Self.check(SDKUploadResult.self)
    }

    /// The forwarder's result is the third message of its file, which a schema registry's frame names.
    @Test func readsAResultBehindItsFrame() throws {
        let result = PushForwardResult {
            $0.arrivals = 7
            $0.httpStatus = 202
        }
        let value = try result.encoded(as: .protobuf)
        func read(_ path: [UInt8]) throws -> PushForwardResult {
            try PushForwardResult(
                decoding: Record(topic: PushForwardResult.topic, value: [0, 0, 0, 0, 9] + path + value)
            )
        }
        #expect(try read([2, 4]) == result)
        #expect(throws: RecordError.self) { try read([0]) }
        let other = try ActivationResult().encoded(as: .protobuf)
        let framed = Record(topic: ActivationResult.topic, value: [0, 0, 0, 0, 9, 0] + other)
        #expect(try ActivationResult(decoding: framed) == ActivationResult())
    }

    @Test func readsABatchAsTheWorkerWritesIt() throws {
        let json = #"""
            {"arrivals":[{"provider":"apns","appBundle":"com.example","messageId":"m-1","campaignId":"c-1",
            "deviceId":"d-1","arrivedMs":1795248000500,"sentMs":1795248000000,"lagMs":500},
            {"provider":"apns","deviceId":"d-2","arrivedMs":7}]}
            """#
        let record = Record(topic: PushForwardBatch.topic, value: Array(json.utf8))
        let batch = try PushForwardBatch(decoding: record)
        let first = try #require(batch.arrivals.first)
        #expect(batch.arrivals.count == 2)
        #expect(batch.arrivals[1].sentMS == nil && batch.arrivals[1].lagMS == nil)
        #expect(
            (first.provider, first.appBundle, first.messageID, first.campaignID)
                == ("apns", "com.example", "m-1", "c-1")
        )
        #expect((first.deviceID, first.arrivedMS) == ("d-1", 1_795_248_000_500))
        #expect((first.sentMS, first.lagMS) == (1_795_248_000_000, 500))
        for format in RecordFormat.allCases {
            let written = try batch.record(as: format)
            let read = Record(topic: written.topic, value: written.value, headers: written.headers)
            #expect(try PushForwardBatch(decoding: read) == batch)
        }
    }

    @Test func readsTheOutcomeOfAnUploadAndOfAnEvent() throws {
        let examples = try Self.examples(of: SDKUploadResult.topic)
        func result(_ name: String) throws -> SDKUploadResult {
            try SDKUploadResult(decoding: Record(topic: SDKUploadResult.topic, value: examples[name]))
        }
        let taken = try result("taken.json")
        #expect(taken.counts?.events == 12 && taken.counts?.activations == 1 && taken.eventID == nil)
        let event = try result("reengage.json")
        #expect(event.eventType == "ACTIVATE" && event.eventID?.count == 32 && event.counts == nil)
    }

    @Test func readsEveryEventOfAnSDK() throws {
        for (name, bytes) in try Self.examples(of: "sdk-events") {
            let event = try SDKEventRecord(decoding: Record(topic: "sdk-events", value: bytes))
            #expect(event.id.count == 32 && event.receivedAtMS != nil, "\(name)")
            #expect(String(decoding: event.json, as: UTF8.self).contains(#""deviceId""#))
        }
        for value in [nil, [], Array("{}".utf8), Array("[]".utf8)] as [[UInt8]?] {
            #expect(throws: RecordError.self) {
                try SDKEventRecord(decoding: Record(topic: "t", value: value))
            }
        }
    }

    @Test func readsAndWritesAClick() throws {
        let click = try AdClick(query: Array("muid=__MUID__&click_time=1795507000&click_id=c1&appid=5".utf8))
        let record = click.record(clientIP: "198.51.100.7")
        #expect(record.topic == "activation-click" && record.key == Array("c1".utf8))
        #expect(record.headers == [Header("click.client_ip", "198.51.100.7")])
        let read = Record(topic: record.topic, value: record.value, headers: record.headers)
        #expect(try AdClick(decoding: read) == click)
        #expect((click.appID, click.muid, click.clickedAt) == (5, nil, 1_795_507_000))
        let error = #expect(throws: RecordError.self) { try AdClick(query: []) }
        #expect(error?.code == "click.no_identity")
    }

    @Test func readsEveryEventOfAPushButOneWithAnObject() throws {
        for (name, bytes) in try Self.examples(of: PushEvent.topic) {
            let record = Record(topic: PushEvent.topic, value: bytes)
            if name == "arrived-with-payload.json" {
                let error = #expect(throws: RecordError.self) { try PushEvent(decoding: record) }
                #expect(error?.code == "field.wrong_type")
            } else {
                #expect(try !PushEvent(decoding: record).type.isEmpty)
            }
        }
    }

    @Test func namesTheFieldsOfAnOutcome() throws {
        let bytes = try #require(try Self.examples(of: ActivationResult.topic)["dead-lettered.json"])
        let result = try ActivationResult(decoding: Record(topic: ActivationResult.topic, value: bytes))
        let outcome = try #require(result.outcome)
        #expect(outcome.fate == "dead_lettered")
        #expect(outcome.id == "\(outcome.topic)/\(outcome.partition ?? -1)/\(outcome.offset ?? -1)")
        #expect(outcome.deadLetterID?.hasPrefix("dl-") == true)
        #expect(outcome.reason?.code.isEmpty == false)
        #expect(outcome.settledAtMS ?? 0 >= outcome.receivedAtMS ?? .max)
    }

    /// Each field of the schema has a property, so nothing of a record is out of a reader's reach.
    @Test func namesTheRouteTheAnswerAndTheCallback() throws {
        let bytes = try #require(try Self.examples(of: ActivationResult.topic)["marketing-api.json"])
        let result = try ActivationResult(decoding: Record(topic: ActivationResult.topic, value: bytes))
        #expect(result.route == "marketing_api")
        let answer = try #require(result.marketingAPI)
        #expect((answer.code, answer.text, answer.httpStatus) == (31_001, "invalid parameter", 200))
        var made = ActivationResult { $0.route = "callback" }
        made.marketingAPI = answer
        #expect(made.marketingAPI == result.marketingAPI && made.route == "callback")
        made.marketingAPI = nil
        #expect(made == ActivationResult { $0.route = "callback" })
        for (name, isThere) in [("callback.json", true), ("ios-minimal.json", false)] {
            let bytes = try #require(try Self.examples(of: Activation.topic)[name])
            let activation = try Activation(decoding: Record(topic: Activation.topic, value: bytes))
            #expect((activation.callback?.hasPrefix("http%3A%2F%2Ftracking.e.qq.com") == true) == isThere)
        }
        let bytesOfOthers = try #require(try Self.examples(of: Activation.topic)["android-oaid.json"])
        let others = try Activation(decoding: Record(topic: Activation.topic, value: bytesOfOthers))
        #expect(others.hashOAID == "83e9158a4fb54c0e1ef0b238639a23ae" && others.deviceID.isEmpty)
        #expect(others.userAgent?.hasPrefix("Mozilla/5.0") == true)
        #expect((others.hashAndroidID, others.caid, others.caidVersion) == (nil, nil, nil))
    }

    @Test func takesBackWhatItSets() {
        var check = DeviceCheck { $0.bit0 = true }
        #expect(check.bit0 == true)
        #expect(check.bit1 == nil)
        check.bit0 = nil
        check.requestedAtMS = 1_700_000_000_123
        #expect(check.requestedAtMS == 1_700_000_000_123)
        check.requestedAtMS = nil
        #expect(check == DeviceCheck())
    }

    @Test func refusesATimeThatJSONCannotHave() throws {
        // The field 7, a Timestamp, whose seconds are the largest number of 64 bits.
        let varint: [UInt8] = [UInt8](repeating: 0xFF, count: 8) + [0x7F]
        let bytes: [UInt8] = [0x3A, 0x0A, 0x08] + varint
        let headers = [Header("content-type", "application/x-protobuf")]
        let activation = try Activation(decoding: Record(topic: "t", value: bytes, headers: headers))
        #expect(activation.convertedAtMS == 253_402_300_799_000)
        #expect(throws: RecordError.self) { try activation.encoded(as: .json) }
        #expect(try activation.encoded(as: .protobuf).count == bytes.count)
    }

    @Test(arguments: [
        (nil, "value.tombstone"), ([], "value.empty"), (Array("{\"appId\":".utf8), "value.not_json"),
    ])
    func namesWhatIsWrong(value: [UInt8]?, code: String) {
        let error = #expect(throws: RecordError.self) {
            try Activation(decoding: Record(topic: "activation", value: value))
        }
        #expect(error?.code == code)
    }

    @Test func readsADeadLetter() throws {
        let headers = [
            Header("trace", "mine"), Header("dlq.id", "dl-1"), Header("dlq.class", "invalid"),
            Header("dlq.reason", "gdt.-2"), Header("__dlq.errors.topic", "activation"),
            Header("__dlq.errors.partition", "3"), Header("__dlq.errors.offset", "41"),
        ]
        let record = Record(topic: "activation.dead-letter", value: [1], headers: headers)
        let letter = try #require(DeadLetter(record))
        #expect(letter.id == "dl-1")
        #expect(letter.reason == "gdt.-2")
        #expect((letter.sourceTopic, letter.sourcePartition, letter.sourceOffset) == ("activation", 3, 41))
        #expect(letter.record.headers == [Header("trace", "mine")])
        #expect(DeadLetter(Record(topic: "t", value: nil, headers: [Header("dlq.id", "x")])) == nil)
    }
}
