import Foundation
import Operations
import Records
import ServiceKit
import Simulation
import StreamKit
import TestMaterial
import Testing
import WireFormats

@testable import ActivationIntake

/// Uploads, clicks and activations on their way to the worker that reports them.
struct IntakeTests {
    private func header(_ name: String, of record: OutboundRecord) -> String? {
        record.headers.last { $0.name == name }?.value.map { String(decoding: $0, as: UTF8.self) }
    }

    // MARK: - Uploads

    private func upload(_ row: UploadRow) -> [RecordHeader] {
        [
            RecordHeader("upload.target", row.request.target),
            RecordHeader("upload.method", row.request.method),
        ]
            + row.request.headers.map { RecordHeader($0.key, $0.value) }
    }

    /// A phone sends the same upload twice: every event is published once.
    @Test(arguments: UploadRow.all)
    func everyEventOfAnUploadIsPublishedOnce(row: UploadRow) throws {
        let bench = try IntakeBench()
        for _ in 0..<2 { bench.take("sdk-upload", row.body, headers: self.upload(row)) }
        let codes = bench.codes(in: "sdk-upload.result")
        guard row.error == nil else {
            #expect(codes == Array(repeating: "upload.\(row.error ?? "")", count: 2))
            #expect(bench.scene.sent.count == 2)
            return
        }
        let events = bench.scene.sent(to: "sdk-events")
        let expected = try #require(row.expected["events"] as? [[String: Any]])
        #expect(events.count == Set(events.map(\.key)).count)
        #expect(events.count <= expected.count && (events.isEmpty == expected.isEmpty))
        let told = try events.map { event in
            try #require(
                JSONSerialization.jsonObject(with: Data(event.value ?? [])) as? [String: Any]
            )["event"] as? NSDictionary
        }
        for event in expected { #expect(told.contains(event as NSDictionary), "\(event)") }
        #expect(codes.filter { $0 == "" }.count == 2)
    }

    /// The outcome names them, whether the intake writes it or the worker behind it.
    @Test func unknownFieldsAreNamedAndGoOn() throws {
        let bench = try IntakeBench(Self.matching)
        bench.take("activation-click", IntakeBench.click(id: "c-1", secondsBefore: 60))
        for _ in 0..<2 { bench.take("activation", IntakeBench.activation(more: #","deviceID":"x""#)) }
        let due = try #require(bench.due.first)
        #expect(IntakeBench.clickID(of: due) == "c-1")
        #expect(self.header(UnknownFields.header, of: due) == "deviceID")
        let outcomes = bench.scene.sent(to: "activation.result")
        #expect(outcomes.map { self.header(UnknownFields.header, of: $0) } == ["deviceID"])
    }

    @Test func anActivationOfAPhoneIsReportedOnceAndNamesItsOrigin() throws {
        let bench = try IntakeBench()
        for _ in 0..<2 { bench.take("sdk-upload", self.phoneActivation(), headers: self.jsonUpload) }
        #expect(bench.due.count == 1)
        #expect(self.header(RecordOrigin.header, of: bench.due[0]) == "sdk-upload/0/0")
        #expect(self.header(RecordOrigin.eventHeader, of: bench.due[0])?.count == 32)
        #expect(bench.due[0].timestamp == IntakeBench.start.wall)
        #expect(bench.codes(in: "activation.result") == ["activation.duplicate"])
    }

    /// An upload that is cut at any byte is refused as a whole, or is a shorter list. Each has one outcome.
    @Test(arguments: UploadRow.all.filter { $0.error == nil })
    func aCutUploadHasOneOutcomeAndNothingOfItIsTrustedInPart(row: UploadRow) throws {
        let bench = try IntakeBench("duplicates:\n  window: 0s")
        var seen = 0
        for count in row.body.indices {
            bench.take("sdk-upload", Array(row.body[..<count]), headers: self.upload(row))
            let sent = bench.scene.sent.dropFirst(seen).filter { $0.topic != "activation.home.changelog" }
            seen = bench.scene.sent.count
            let outcomes = sent.filter { $0.topic == "sdk-upload.result" }.map {
                String(decoding: $0.value ?? [], as: UTF8.self)
            }
            let whole = outcomes.filter { !$0.contains(#""event":"#) }
            #expect(whole.count == 1, "cut at \(count)")
            if whole[0].contains(#""fate":"rejected""#) { #expect(sent.count == 1, "cut at \(count)") }
        }
    }

    @Test func anUploadBringsEachEventOnceAndAnActivationThatWasFilledInLater() throws {
        let bench = try IntakeBench()
        let one = String(decoding: self.phoneActivation(), as: UTF8.self).dropFirst().dropLast()
        let empty = String(decoding: self.phoneActivation(more: ""), as: UTF8.self).dropFirst().dropLast()
        let page = one.replacing("ACTIVATE", with: "PAGE")
        bench.take("sdk-upload", Array("[\(page),\(empty),\(page),\(one)]".utf8), headers: self.jsonUpload)
        #expect(bench.due.count == 1)
        // The id has the outcome of its report, and no other.
        #expect(bench.codes(in: "sdk-upload.result") == [""])
        #expect(bench.scene.sent(to: "sdk-events").count == 2)
    }

    /// Ten repeats of one activation once left no place for another one, and each had an outcome.
    @Test func anActivationThatIsRepeatedInItsUploadCountsOnce() throws {
        let bench = try IntakeBench()
        let one = String(decoding: self.phoneActivation(), as: UTF8.self).dropFirst().dropLast()
        let other = one.replacing("1795247999000", with: "1795247910000").replacing(
            "idfa\":\"",
            with: "idfa\":\"A"
        )
        let body = "[\(Array(repeating: one, count: 12).joined(separator: ",")),\(other)]"
        bench.take("sdk-upload", Array(body.utf8), headers: self.jsonUpload)
        #expect(!bench.codes(in: "sdk-upload.result").contains("sdk_activation.too_many"))
        #expect(bench.due.count == 1)
        #expect(bench.codes(in: "activation.result").filter { $0 == "activation.duplicate" }.isEmpty)
    }

    /// One upload of four kilobytes, compressed, once stopped the intake for good: the outcome held the name of the type,
    /// and no broker took it.
    @Test func anEventThatIsTooLargeHasAnOutcomeThatFits() throws {
        let bench = try IntakeBench()
        let type = String(repeating: "A\u{301}", count: 700_000)
        let event = #"[{"deviceId":"d","dataSourceId":"s","timestamp":1,"eventType":"\#(type)"}]"#
        bench.take("sdk-upload", Array(event.utf8), headers: self.jsonUpload)
        #expect(bench.codes(in: "sdk-upload.result") == ["upload.event_too_large", ""])
        #expect(bench.scene.sent(to: "sdk-events").isEmpty)
        for record in bench.scene.sent { #expect(record.encodedBytesBound < 10_000) }
    }

    /// Kafka Connect's converter fails at an exponent of eleven digits, and Jackson at a name of 50,000 characters. One
    /// upload could so stop the sink of all apps.
    @Test func anEventThatASinkCannotReadIsMadeReadableOrNotPassedOn() throws {
        let bench = try IntakeBench()
        let name = String(repeating: "n", count: 32_769)
        let event = #"{"deviceId":"d","dataSourceId":"s","timestamp":1,"eventType":"CUSTOM""#
        let body = #"[\#(event),"x":1e99999999999,"y":[1.5e3]},\#(event),"attributes":{"\#(name)":"v"}}]"#
        bench.take("sdk-upload", Array(body.utf8), headers: self.jsonUpload)
        #expect(bench.codes(in: "sdk-upload.result") == ["upload.event_too_large", ""])
        let events = bench.scene.sent(to: "sdk-events").map {
            String(decoding: $0.value ?? [], as: UTF8.self)
        }
        #expect(events.count == 1)
        #expect(events.first?.contains(#""x":"1e99999999999","y":[1.5e3]"#) == true, "\(events)")
    }

    /// Each outcome of an event once had the key of its upload: with a key of 950 kB, a thousand events made a
    /// transaction of a gigabyte.
    @Test func manyOutcomesOfAnUploadDoNotRepeatALargeKey() throws {
        let bench = try IntakeBench()
        let stranger = String(decoding: self.phoneActivation(), as: UTF8.self).replacing(
            "1234567890abcdef",
            with: "none"
        )
        let events = (0..<100).map { number in
            stranger.dropFirst().dropLast().replacing(
                "1795247999000",
                with: String(1_795_247_999_000 + number)
            )
        }
        let body = "[\(events.joined(separator: ","))]"
        let key = String(repeating: "k", count: 500_000)
        bench.take("sdk-upload", Array(body.utf8), headers: self.jsonUpload, key: key)
        let outcomes = bench.scene.sent(to: "sdk-upload.result")
        #expect(outcomes.count == 101)
        #expect(outcomes.reduce(0) { $0 + $1.encodedBytesBound } < 800_000)
        #expect(self.header(OutboundRecord.keyOmittedHeader, of: outcomes[0]) == "500000")
        #expect(outcomes.last?.key?.count == 500_000)
    }

    /// A phone uploads again what was not answered, also where conversions may come more than once.
    @Test(arguments: ["0s", "1h"])
    func anActivationThatIsUploadedAgainIsReportedOnceInAnyCase(window: String) throws {
        let bench = try IntakeBench("duplicates:\n  window: \(window)")
        for _ in 0..<2 {
            bench.take("sdk-upload", self.phoneActivation(), headers: self.jsonUpload)
            bench.scene.wait(.seconds(7_200))
        }
        #expect(bench.due.count == 1)
        #expect(bench.codes(in: "activation.result") == ["activation.duplicate"])
        bench.scene.rebalance()
        bench.take("sdk-upload", self.phoneActivation(), headers: self.jsonUpload)
        #expect(bench.due.count == 1)
        // A publisher's record names no event, and may come as often as it likes.
        for _ in 0..<2 {
            bench.take("activation", IntakeBench.activation())
            bench.scene.wait(.seconds(7_200))
        }
        #expect(bench.due.count == 3)
    }

    /// Somebody who repeats one long click once had everything else be forgotten.
    @Test func aRepeatedClickMakesNothingBeForgotten() throws {
        let bench = try IntakeBench(Self.matching)
        let callback =
            "http%3A%2F%2Ftracking.e.qq.com%2Fconv%3Fcb%3D" + String(repeating: "a", count: 3_900)
        let clicks = (0..<4).map {
            IntakeBench.click(id: "\($0)", secondsBefore: 100 + $0, callback: callback)
        }
        for click in clicks { bench.take("activation-click", click) }
        for number in 0..<100 {
            bench.take("activation", IntakeBench.activation(muid: String(format: "%032x", number)))
        }
        let changes = bench.scene.sent(to: bench.scene.settings.topics.changelog).count
        bench.scene.isCrowded = true
        for _ in 0..<50 { for click in clicks { bench.take("activation-click", click) } }
        #expect(bench.scene.sent(to: bench.scene.settings.topics.changelog).count == changes)
    }

    /// Somebody who invents phones puts many into one upload.
    @Test func anUploadBringsAFewActivations() throws {
        let bench = try IntakeBench()
        let one = String(decoding: self.phoneActivation(), as: UTF8.self).dropFirst().dropLast()
        let phones = (10..<30).map { one.replacing("1795247999000", with: "17952479\($0)000") }
        let body = "[\(phones.joined(separator: ","))]"
        bench.take("sdk-upload", Array(body.utf8), headers: self.jsonUpload)
        #expect(bench.scene.sent(to: "sdk-events").count == phones.count)
        #expect(bench.due.count + bench.codes(in: "activation.result").count == 10)
        let codes = bench.codes(in: "sdk-upload.result")
        #expect(codes.filter { $0 == "sdk_activation.too_many" }.count == phones.count - 10)
        #expect(codes.count == phones.count - 10 + 1)
    }

    /// The SDK writes another ACTIVATE after a reinstall, and the device has activated already.
    @Test func aReinstallIsADuplicate() throws {
        let bench = try IntakeBench()
        let again = String(decoding: self.phoneActivation(), as: UTF8.self)
            .replacing("1795247999000", with: "1795247999900")
        for body in [self.phoneActivation(), Array(again.utf8)] {
            bench.take("sdk-upload", body, headers: self.jsonUpload)
        }
        #expect(bench.due.count == 1 && bench.scene.sent(to: "sdk-events").count == 2)
        #expect(bench.codes(in: "activation.result") == ["activation.duplicate"])
    }

    /// A phone keeps an event for 7 days, and sends it until an upload of it was answered.
    @Test func anEventIsRecognisedForAsLongAsAPhoneKeepsIt() throws {
        let bench = try IntakeBench()
        bench.take("sdk-upload", self.phoneActivation(), headers: self.jsonUpload)
        bench.scene.wait(.seconds(6 * 86_400))
        bench.scene.collect()
        bench.take("sdk-upload", self.phoneActivation(), headers: self.jsonUpload)
        #expect(bench.scene.sent(to: "sdk-events").count == 1)
    }

    /// Two apps share a data source, and a third entry takes what is left.
    @Test(arguments: [("com.example.a", "7"), ("com.example.b", "112233"), (nil, "112233")])
    func anAppIsFoundByItsBundleIdToo(domain: String?, app: String) throws {
        let bench = try IntakeBench(
            IntakeBench.app(
                "data_source: '1234567890abcdef'",
                "domain: com.example.a",
                "app_id: 7",
                "advertiser_id: 10000",
                "app_type: IOS"
            )
        )
        let more = domain.map { #","domain":"\#($0)""# } ?? ""
        bench.take("sdk-upload", self.phoneActivation(also: more), headers: self.jsonUpload)
        let value = String(decoding: bench.due.first?.value ?? [], as: UTF8.self)
        #expect(value.contains(#""appId":"\#(app)""#), "\(value)")
    }

    /// A phone chooses both names. Swift's own hash of such a text would take hours.
    @Test(.timeLimit(.minutes(1))) func namesOfAppsMayHaveAnyLength() throws {
        let bench = try IntakeBench()
        let long = "1" + String(repeating: "\u{301}\u{323}", count: 200_000)
        bench.take("sdk-upload", self.phoneActivation(source: long), headers: self.jsonUpload)
        #expect(bench.due.isEmpty)
        let more = #","domain":"\#(long)""#
        bench.take("sdk-upload", self.phoneActivation(also: more), headers: self.jsonUpload)
        #expect(bench.due.count == 1)
    }

    @Test func theUserAgentGoesOn() throws {
        let bench = try IntakeBench()
        let long = String(repeating: "a", count: 1_025)
        for (number, agent) in ["Mozilla/5.0 (iPhone)", long].enumerated() {
            let more =
                #","idfa":"6D92078A-8246-4BA4-AE5B-76104861E7D\#(number)","attributes":{"userAgent":"\#(agent)"}"#
            bench.take("sdk-upload", self.phoneActivation(more: more), headers: self.jsonUpload)
        }
        let agents = try bench.due.map { record in
            try #require(JSONSerialization.jsonObject(with: Data(record.value ?? [])) as? [String: Any])[
                "userAgent"
            ]
                as? String
        }
        #expect(agents == ["Mozilla/5.0 (iPhone)", nil])
    }

    /// The version is Tencent's number of it. The digests of an OAID are those of Tencent's own example.
    @Test(arguments: [
        (
            "IOS",
            #","attributes":{"CAID":"[{\"caid\":\"old\",\"version\":\"20211207\"},"#
                + #"{\"caid\":\"507b36cb\",\"version\":\"20220111\"},{\"caid\":\"x\",\"version\":\"1\"}]"}"#,
            ["caid": "507b36cb", "caidVersion": "1005"]
        ),
        (
            "ANDROID", #","oaid":"1fe9a970-efbb-29e0-0bdd-f5dbbf751ab5","androidId":"0000000000000000""#,
            ["hashOaid": "83e9158a4fb54c0e1ef0b238639a23ae"]
        ),
        (
            "ANDROID", #","imei":"354649050046412","oaid":"1fe9a970-efbb-29e0-0bdd-f5dbbf751ab5""#,
            ["muid": "b496ec1169770ea274a2b4f42ca4fb71", "hashOaid": "83e9158a4fb54c0e1ef0b238639a23ae"]
        ),
        // A phone that keeps its IMEI to itself.
        (
            "ANDROID", #","imei":"unknown","oaid":"1fe9a970-efbb-29e0-0bdd-f5dbbf751ab5""#,
            ["hashOaid": "83e9158a4fb54c0e1ef0b238639a23ae"]
        ),
    ])
    func whereItIsWantedADeviceIsNamedByItsOtherIDs(
        appType: String,
        more: String,
        ids: [String: String]
    ) throws {
        func bench(_ wanted: Bool) throws -> IntakeBench {
            let bench = try IntakeBench(
                IntakeBench.app(
                    "data_source: other",
                    "app_id: 7",
                    "advertiser_id: 10000",
                    "app_type: \(appType)",
                    "other_ids: \(wanted)"
                )
            )
            for _ in 0..<2 {
                let body = self.phoneActivation(source: "other", more: more)
                bench.take("sdk-upload", body, headers: self.jsonUpload)
            }
            return bench
        }
        let wanted = try bench(true)
        #expect(wanted.due.count == 1 && wanted.codes(in: "activation.result") == ["activation.duplicate"])
        let value = try #require(
            JSONSerialization.jsonObject(with: Data(wanted.due.first?.value ?? [])) as? [String: Any]
        )
        let names = ["muid", "hashOaid", "hashAndroidId", "caid", "caidVersion"]
        let found = value.filter { names.contains($0.key) }
        #expect(found as NSDictionary == ids as NSDictionary)
        let unwanted = try bench(false)
        guard ids["muid"] == nil else {
            let text = String(decoding: unwanted.due.first?.value ?? [], as: UTF8.self)
            return #expect(text.contains(#""muid""#) && !text.contains("Oaid"))
        }
        #expect(unwanted.due.isEmpty)
        let code = more.contains("unknown") ? "malformed_identifier" : "no_identifier"
        #expect(unwanted.codes(in: "sdk-upload.result").contains("sdk_activation.\(code)"))
    }

    /// Once the first is forgotten both go on, and Tencent has to recognise the second.
    @Test func anUploadThatComesTwiceIsReportedUnderOneName() throws {
        let bench = try IntakeBench("duplicates:\n  window: 0s")
        bench.take("sdk-upload", self.phoneActivation(), headers: self.jsonUpload)
        bench.scene.wait(.seconds(8 * 86_400))
        bench.take("sdk-upload", self.phoneActivation(), headers: self.jsonUpload)
        #expect(bench.due.count == 2)
        let names = bench.due.map { record in
            InboundRecord(
                topic: record.topic,
                partition: 0,
                offset: 7,
                value: record.value,
                headers: record.headers
            ).reportName
        }
        #expect(Set(names).count == 1 && names[0].count == 32)
    }

    /// An encryption under a number of its own, and one in place of the standard one.
    @Test(arguments: [7, 1])
    func anEncryptionOfAShellIsUsed(codec: Int) throws {
        var ciphers = UploadCiphers.standard
        ciphers.register(codec) { body, _ in body.map { $0 &- 1 } }
        let headers = self.jsonUpload + [RecordHeader("X-Crypt-Codec", "\(codec)")]
        let body = self.phoneActivation().map { $0 &+ 1 }
        let bench = try IntakeBench(ciphers: ciphers)
        bench.take("sdk-upload", body, headers: headers)
        #expect(bench.due.count == 1)
        let without = try IntakeBench()
        without.take("sdk-upload", body, headers: headers)
        #expect(without.due.isEmpty && without.codes(in: "sdk-upload.result") != [""])
    }

    private let jsonUpload = [
        RecordHeader("upload.target", "/v3/projects/0a1b22c33d44e55f/collect"),
        RecordHeader("content-type", "application/json"),
    ]

    private func phoneActivation(
        source: String = "1234567890abcdef",
        more: String = #","idfa":"6D92078A-8246-4BA4-AE5B-76104861E7DC""#,
        also: String = ""
    ) -> [UInt8] {
        let head = #"[{"deviceId":"d","dataSourceId":"\#(source)","timestamp":1795247999000"#
        return Array((head + #","eventType":"ACTIVATE"\#(more)\#(also)}]"#).utf8)
    }

    @Test(arguments: [
        (#","eventName":"$app_reengage","idfa":"6D92078A-8246-4BA4-AE5B-76104861E7DC""#, "reengage"),
        (#","eventName":"other""#, "unknown_kind"), ("", "no_identifier"),
        (#","idfa":"00000000-0000-0000-0000-000000000000""#, "no_identifier"),
        (#","idfa":"","idfv":"6D92078A-8246-4BA4-AE5B-76104861E7DC""#, "no_identifier"),
        (
            #","idfa":" ","attributes":{"CAID":"[{\"caid\":\"c\",\"version\":\"20220111\"}]"}"#,
            "no_identifier"
        ),
        (#","idfa":"x""#, "malformed_identifier"),
    ])
    func anActivateEventThatIsNoActivationHasAnOutcome(more: String, code: String) throws {
        let bench = try IntakeBench()
        bench.take("sdk-upload", self.phoneActivation(more: more), headers: self.jsonUpload)
        #expect(bench.due.isEmpty)
        #expect(bench.codes(in: "sdk-upload.result") == ["sdk_activation.\(code)", ""])
        #expect(bench.scene.sent(to: "sdk-events").count == 1)
    }

    /// A worker cannot read such a time, and the activation must not be lost between the two.
    @Test(arguments: [1, 999_999_999_999, 253_402_300_800_000, Int64.max])
    func anActivationOfAnImpossibleTimeHasAnOutcome(milliseconds: Int64) throws {
        let bench = try IntakeBench()
        let body = String(decoding: self.phoneActivation(), as: UTF8.self)
            .replacing("1795247999000", with: "\(milliseconds)")
        bench.take("sdk-upload", Array(body.utf8), headers: self.jsonUpload)
        #expect(bench.due.isEmpty)
        #expect(bench.codes(in: "sdk-upload.result") == ["sdk_activation.time", ""])
    }

    @Test func anUnknownDataSourceIsNotReported() throws {
        let bench = try IntakeBench()
        bench.take("sdk-upload", self.phoneActivation(source: "other"), headers: self.jsonUpload)
        #expect(bench.due.isEmpty)
        #expect(bench.codes(in: "sdk-upload.result") == ["sdk_activation.unknown_app", ""])
    }

    /// Its publisher has to mend it, and no phone can make it.
    @Test func aRecordThatIsNoUploadIsADeadLetter() throws {
        let bench = try IntakeBench()
        bench.take("sdk-upload", Array("[]".utf8))
        #expect(bench.scene.sent(to: "activation.dead-letter").count == 1)
        #expect(bench.codes(in: "sdk-upload.result") == ["upload.no_target"])
    }

    @Test func anUploadAmongActivationsIsTakenByItsHeader() throws {
        let bench = try IntakeBench()
        bench.take("activation", self.phoneActivation(), headers: self.jsonUpload)
        #expect(bench.due.count == 1)
    }

    /// A transaction with a record for a topic that nobody has made would fail for ever.
    @Test func anUploadWhereNoneAreTakenIsADeadLetterAndUsesNoTopicWithoutARole() throws {
        let bench = try IntakeBench(Self.matching, takesUploads: false)
        bench.take("activation-click", IntakeBench.click(id: "c", secondsBefore: 100))
        bench.take("activation", self.phoneActivation(), headers: self.jsonUpload)
        bench.take("activation", IntakeBench.activation())
        #expect(bench.codes(in: "activation.result") == ["upload.not_configured"])
        let letters = bench.scene.sent(to: "activation.dead-letter")
        #expect(letters.map { self.header("dlq.replayable", of: $0) } == ["after_fix"])
        #expect(bench.due.map(IntakeBench.clickID) == ["c"])
        let settings = bench.scene.settings
        let topics = Set(settings.topics.roles(of: settings).map(\.topic))
        #expect(topics.isSuperset(of: bench.scene.sent.map(\.topic)))
    }

    // MARK: - Duplicates

    @Test func theSameActivationInTheWindowIsADuplicateThatNamesTheFirst() throws {
        let bench = try IntakeBench()
        bench.take("activation", IntakeBench.activation())
        bench.scene.wait(.seconds(29 * 86_400))
        bench.scene.collect()
        bench.scene.rebalance()
        bench.take("activation", IntakeBench.activation())
        #expect(bench.due.count == 1)
        let results = bench.scene.sent(to: "activation.result")
        #expect(results.count == 1)
        let text = String(decoding: results[0].value ?? [], as: UTF8.self)
        #expect(text.contains("passed on before: activation/0/0."), "\(text)")
        bench.scene.wait(.seconds(2 * 86_400))
        bench.take("activation", IntakeBench.activation())
        #expect(bench.due.count == 2)
    }

    @Test func whatIsOverIsForgottenAlsoInTheChangelog() throws {
        let bench = try IntakeBench()
        bench.take("activation", IntakeBench.activation())
        #expect(bench.scene.byteCount > 0)
        bench.scene.wait(.seconds(31 * 86_400))
        bench.scene.collect()
        #expect(bench.scene.byteCount == 0)
        #expect(bench.scene.sent(to: "activation.home.changelog").map { $0.value == nil } == [false, true])
        bench.scene.rebalance()
        #expect(bench.scene.byteCount == 0)
    }

    /// After a shorter window was set, all that is older is due at once. A transaction takes a part of it.
    @Test func whatIsOverIsForgottenInParts() throws {
        let settings = try IntakeBench().scene.settings
        let (changelog, start) = (settings.topics.changelog, IntakeBench.start)
        let cluster = StreamCluster(id: "c", partitionCounts: [changelog: 1])
        let writer = IntakeWriter(settings, cluster)
        let home = HomeTask(0, writer, metrics: IntakeMetrics(factory: PrometheusRegistry()))
        for number in 0..<HomeTask.expiriesLimit + 10 {
            let entry = InboundRecord(
                topic: changelog,
                partition: 0,
                offset: Int64(number),
                key: RememberedKey(.event, named: "\(number)").bytes,
                value: RecentTable.Entry(seen: start.wall, text: []).changelog
            )
            home.restore(entry, at: start)
        }
        home.restored(at: start)
        let later = Moment(monotonic: 0, wall: start.wall + 31 * 86_400_000)
        for count in [HomeTask.expiriesLimit, 10, 0] {
            #expect((home.nextDue ?? .max <= later.wall) == (count > 0))
            let output = StreamOutput()
            home.collect(at: later, progress: later.wall, output)
            var forgotten = 0
            output.drain { _ in forgotten += 1 }
            #expect(forgotten == count)
        }
    }

    @Test func otherDevicesTypesAndPaymentsAreNoDuplicates() throws {
        let bench = try IntakeBench()
        bench.take("activation", IntakeBench.activation())
        bench.take("activation", IntakeBench.activation(muid: String(IntakeBench.muid.reversed())))
        bench.take("activation", IntakeBench.activation(type: "MOBILEAPP_REGISTER"))
        for _ in 0..<2 { bench.take("activation", IntakeBench.activation(type: "MOBILEAPP_COST")) }
        #expect(bench.due.count == 5)
        #expect(bench.due[0].value == IntakeBench.activation())
    }

    /// A record that says no does not use up the one report of its device.
    @Test func whatIsNotToBeReportedOrReadIsPassedOnAndNotRemembered() throws {
        let bench = try IntakeBench()
        let denied = IntakeBench.activation(more: #","trackingAuthorized":false"#)
        for value in [denied, Array("{".utf8)] {
            bench.take("activation", value, headers: [RecordHeader("x", "y")], key: "k")
        }
        bench.take("activation", IntakeBench.activation())
        #expect(bench.due.map(\.value) == [denied, Array("{".utf8), IntakeBench.activation()])
        #expect(bench.due[0].key == Array("k".utf8))
        #expect(self.header("x", of: bench.due[0]) == "y")
    }

    /// A full memory must not stop anybody: the oldest is forgotten.
    @Test func whoeverFillsTheMemoryMakesItForgetAndNotStop() throws {
        let bench = try IntakeBench()
        bench.scene.isCrowded = true
        for number in 0..<1_000 {
            bench.take("activation", IntakeBench.activation(muid: String(format: "%032x", number + 1_000)))
        }
        #expect(bench.due.count == 1_000)
        #expect(bench.scene.byteCount < 3 * 3 * 500)
    }

    /// A click with a long callback takes as much as thirty without, and once let the state grow until nothing was read.
    @Test func aLargeThingMakesTheMemoryForgetAsMuch() throws {
        let bench = try IntakeBench(Self.matching)
        for number in 0..<400 {
            let muid = String(format: "%032x", number)
            bench.take("activation-click", IntakeBench.click(muid: muid, id: "\(number)", secondsBefore: 100))
        }
        let before = bench.scene.byteCount
        bench.scene.isCrowded = true
        for number in 1_000..<1_100 {
            let callback =
                "http%3A%2F%2Ftracking.e.qq.com%2Fconv%3Fcb%3D" + String(repeating: "a", count: 3_900)
            let muid = String(format: "%032x", number)
            bench.take(
                "activation-click",
                IntakeBench.click(muid: muid, id: "\(number)", secondsBefore: 100, callback: callback)
            )
        }
        #expect(bench.scene.byteCount < before)
    }

    /// The states of a worker that has gone came to the others, took more than there is room for, and stayed so for ever.
    @Test func aStateThatIsFullForgetsAtTheEndOfATransaction() throws {
        let bench = try IntakeBench()
        for number in 0..<500 {
            bench.take("activation", IntakeBench.activation(muid: String(format: "%032x", number)))
        }
        let before = bench.scene.byteCount
        bench.scene.isCrowded = true
        bench.scene.collect()
        #expect(bench.scene.byteCount == before)
        bench.scene.excess = before / 6
        bench.scene.collect()
        // Each of the three homes has given up as much as it was asked to, and little more.
        let after = bench.scene.byteCount
        #expect(before - after >= 3 * (before / 6) && before - after < 3 * (before / 6) + 600)
        // The changelog forgets too, so that a restart does not bring it back.
        bench.scene.rebalance()
        #expect(bench.scene.byteCount == after)
    }

    /// An edge may copy every header of a phone's request.
    @Test func aLetterKeepsOnlyHeadersThatAreRead() throws {
        let bench = try IntakeBench()
        let secret = [RecordHeader("Authorization", "Bearer s3cret"), RecordHeader("cookie", "s3cret")]
        let kept = [RecordHeader("X-Crypt-Codec", "1"), RecordHeader("ce_id", "7")]
        bench.take("sdk-upload", Array("[]".utf8), headers: secret + kept)
        let letter = try #require(bench.scene.sent(to: "activation.dead-letter").first)
        #expect(letter.headers.starts(with: kept))
        #expect(!letter.headers.contains { $0.name == "Authorization" || $0.name == "cookie" })
    }

    /// A phone cannot say that its upload stood elsewhere, nor that it is a replay of somebody's.
    @Test(arguments: [false, true])
    func onlyAReplayNamesTheOriginOfAnUpload(isReplay: Bool) throws {
        let bench = try IntakeBench()
        let origin = RecordHeader(RecordOrigin.header, "sdk-upload/9/999")
        let replay = isReplay ? [RecordHeader(ReplayHeader.replayID, "r1")] : []
        bench.take(
            "sdk-upload",
            self.phoneActivation(source: "other"),
            headers: self.jsonUpload + [origin] + replay
        )
        let results = bench.scene.sent(to: "sdk-upload.result")
        #expect(results.count == 2)
        for result in results {
            #expect((self.header(RecordOrigin.header, of: result) == "sdk-upload/9/999") == isReplay)
        }
    }

    /// An upload can stand among the activations, where an edge copies headers of phones too.
    @Test func anUploadAmongActivationsNamesNoOriginEither() throws {
        let bench = try IntakeBench(takesUploads: false)
        let origin = RecordHeader(RecordOrigin.header, "activation/0/1")
        bench.take("activation", self.phoneActivation(), headers: self.jsonUpload + [origin])
        let result = try #require(bench.scene.sent(to: "activation.result").first)
        #expect(self.header(RecordOrigin.header, of: result) == nil)
    }

    /// Readers tell outcomes apart by the id of the record and of the event.
    @Test func anEventOfAnUploadHasOneOutcomeAtMost() throws {
        let bench = try IntakeBench()
        let twice = self.phoneActivation(source: "other")
        let text = String(decoding: twice, as: UTF8.self)
        let body = "[\(text.dropFirst().dropLast()),\(text.dropFirst().dropLast())]"
        bench.take("sdk-upload", Array(body.utf8), headers: self.jsonUpload)
        #expect(bench.codes(in: "sdk-upload.result") == ["sdk_activation.unknown_app", ""])
    }

    // MARK: - Clicks

    private static let matching = "attribution:\n  report: match\n  patience: 0s"

    @Test func theLastClickBeforeAnActivationWins() throws {
        let bench = try IntakeBench(Self.matching)
        bench.take("activation-click", IntakeBench.click(id: "first", secondsBefore: 500))
        bench.take("activation-click", IntakeBench.click(id: "after", secondsBefore: -5))
        bench.take("activation-click", IntakeBench.click(id: "last", secondsBefore: 100))
        bench.take("activation-click", IntakeBench.click(id: "elsewhere", secondsBefore: 50, app: "9"))
        bench.scene.rebalance()
        bench.take("activation", IntakeBench.activation())
        #expect(bench.due.map(IntakeBench.clickID) == ["last"])
    }

    /// The callback is where the conversion is reported.
    @Test func anActivationKeepsItsCallbackWhenAClickIsAttached() throws {
        let bench = try IntakeBench(Self.matching)
        let callback = "https%3A%2F%2Fapi.e.qq.com%2Fconv%3Fcb%3Da%252Bb"
        bench.take("activation-click", IntakeBench.click(id: "c", secondsBefore: 100))
        bench.take("activation", IntakeBench.activation(more: #","callback":"\#(callback)""#))
        #expect(bench.due.map(IntakeBench.clickID) == ["c"])
        let value = String(decoding: bench.due[0].value ?? [], as: UTF8.self)
        #expect(value.contains(#""callback":"\#(callback)""#))
    }

    /// A conversion was once told to the callback of one click under the id of another.
    @Test(arguments: ["other", nil])
    func theIdAndTheCallbackAreOfTheSameClick(id: String?) throws {
        let bench = try IntakeBench(Self.matching)
        let own = "https%3A%2F%2Fapi.e.qq.com%2Fconv%3Fcb%3Down"
        let other = "http%3A%2F%2Ftracking.e.qq.com%2Fconv%3Fcb%3Dother"
        bench.take(
            "activation-click",
            IntakeBench.click(id: id, secondsBefore: 100, callback: other)
        )
        bench.take(
            "activation",
            IntakeBench.activation(click: "own", more: #","callback":"\#(own)""#)
        )
        let value = String(decoding: try #require(bench.due.first).value ?? [], as: UTF8.self)
        #expect(bench.due.map(IntakeBench.clickID) == [id])
        #expect(value.contains("cb=other") && !value.contains("own"), "\(value)")
    }

    /// The feed's callback is decoded once. An app that reports by callbacks needs nothing else of its publisher.
    @Test func theCallbackOfTheClickIsAttached() throws {
        let bench = try IntakeBench(Self.matching)
        let callback = "http%3A%2F%2Ftracking.e.qq.com%2Fconv%3Fcb%3Da%252Bb"
        bench.take(
            "activation-click",
            IntakeBench.click(id: "c", secondsBefore: 100, callback: callback)
        )
        bench.scene.rebalance()
        bench.take("activation", IntakeBench.activation())
        #expect(bench.due.map(IntakeBench.clickID) == ["c"])
        let value = String(decoding: bench.due[0].value ?? [], as: UTF8.self)
        #expect(value.contains(#""callback":"http://tracking.e.qq.com/conv?cb=a%2Bb""#), "\(value)")
    }

    /// A click can make a record larger than the broker takes, and a transaction with such a record never ends.
    @Test func aClickMakesNoRecordTooLarge() throws {
        let callback = "http%3A%2F%2Ftracking.e.qq.com%2Fconv%3Fcb%3D" + String(repeating: "a", count: 4_000)
        let limit = 10_000
        var clicks: [String?: Int] = [:]
        for room in Array(stride(from: 0, through: 800, by: 10)) + [2_000, 4_000, 6_000] {
            let bench = try IntakeBench(Self.matching, messageLimit: limit)
            bench.take(
                "activation-click",
                IntakeBench.click(id: "c", secondsBefore: 100, callback: callback)
            )
            let header = RecordHeader("h", String(repeating: "x", count: limit - 300 - room))
            bench.take("activation", IntakeBench.activation(), headers: [header])
            let sent = bench.scene.sent
            #expect(sent.allSatisfy { $0.encodedBytesBound <= limit }, "room for \(room) bytes")
            let due = bench.due
            let letters = bench.scene.sent(to: "activation.dead-letter").count
            #expect(due.count + letters == 1, "room for \(room) bytes")
            let value = due.first.map { String(decoding: $0.value ?? [], as: UTF8.self) }
            let kind = value.map {
                $0.contains("callback") ? "callback" : $0.contains("clickId") ? "id" : "none"
            }
            clicks[kind, default: 0] += 1
        }
        // Each form has been met: nothing of the click, its id, and all of it.
        #expect(Set(clicks.keys).isSuperset(of: ["none", "id", "callback"]), "\(clicks)")
    }

    /// A record that has no room for what its way through the homes adds must not get round them, whatever size a phone
    /// has given it.
    @Test(arguments: [nil, "c", String(repeating: "c", count: 128)], [true, false])
    func noSizeLeadsPastTheWindowOfDuplicates(click: String?, isKnown: Bool) throws {
        let limit = 10_000
        let callback = "http%3A%2F%2Ftracking.e.qq.com%2Fconv%3Fcb%3D" + String(repeating: "a", count: 100)
        var counts: [Int: Int] = [:]
        for room in 0...500 {
            let bench = try IntakeBench(click == nil ? "" : Self.matching, messageLimit: limit)
            if isKnown, let click {
                bench.take(
                    "activation-click",
                    IntakeBench.click(id: click, secondsBefore: 100, callback: callback)
                )
            }
            let header = RecordHeader("h", String(repeating: "x", count: limit - 200 - room))
            for _ in 0..<2 {
                bench.take("activation", IntakeBench.activation(click: click), headers: [header])
            }
            let results = bench.scene.sent(to: "activation.result").count
            #expect(bench.due.count + results == 2, "room for \(room) bytes")
            #expect(bench.due.count <= 1, "room for \(room) bytes")
            #expect(bench.scene.sent.allSatisfy { $0.encodedBytesBound <= limit }, "room for \(room) bytes")
            counts[bench.due.count, default: 0] += 1
        }
        // Records of either kind have been met: those that have room, and those that have none.
        #expect(Set(counts.keys) == (click != nil && !isKnown ? [0] : [0, 1]), "\(counts)")
    }

    /// Four clicks with the longest callbacks do not fit into a record where the broker takes small ones only.
    @Test func aTrailKeepsAsManyClicksAsARecordHasRoomFor() {
        var trail = ClickTrail()
        for second in 1...4 {
            let callback = "http://tracking.e.qq.com/" + String(repeating: "\(second)", count: 1_000)
            trail.add(
                ClickTrail.Click(clickID: "c\(second)", clickedAt: Int64(second), callback: callback),
                bytesLimit: 2_500
            )
        }
        #expect(trail.clicks.map(\.clickedAt) == [3, 4] && trail.text.count <= 2_500)
        trail.add(ClickTrail.Click(clickID: nil, clickedAt: 5, callback: nil), bytesLimit: 1)
        #expect(trail.clicks.map(\.clickedAt) == [5])
        #expect(ClickTrail(trail.text) == trail)
    }

    /// A stranger knows the address of the feed, and the worker refuses what has a callback of another host.
    @Test(arguments: [
        "http%3A%2F%2F198.51.100.7%2Fconv", "javascript%3A1", "http%3A%2F%2Fapi.e.qq.com%3A81%2F",
    ])
    func aClickWithACallbackElsewhereIsTakenWithoutIt(callback: String) throws {
        let bench = try IntakeBench(Self.matching)
        bench.take(
            "activation-click",
            IntakeBench.click(id: "c", secondsBefore: 100, callback: callback)
        )
        bench.take("activation", IntakeBench.activation())
        #expect(bench.due.map(IntakeBench.clickID) == ["c"])
        #expect(!String(decoding: bench.due[0].value ?? [], as: UTF8.self).contains("callback"))
    }

    @Test func aClickWithoutAnIdKeepsItsCallback() throws {
        for line in ["112233 1795247900  http://a/b", "112233 1795247900 c http://a/b", "- 1795247900 -"] {
            #expect(ClickTrail.Click(line.utf8)?.line == line)
        }
        #expect(ClickTrail.Click("112233 1795247900  http://a/b".utf8)?.clickID == nil)
        #expect(ClickTrail.Click("112233 1795247900   10000".utf8)?.advertiserID == 10_000)
        #expect(ClickTrail.Click("1 2 3 4 5 6".utf8) == nil)
    }

    /// The keys of a report belong to an app and an account, and an id of another account's click means nothing there.
    @Test func aClickOfAnotherAccountHasLedToNothing() throws {
        let bench = try IntakeBench(Self.matching)
        bench.take("activation-click", IntakeBench.click(id: "own", secondsBefore: 100, advertiser: "10000"))
        bench.take("activation-click", IntakeBench.click(id: "other", secondsBefore: 50, advertiser: "10001"))
        bench.scene.rebalance()
        bench.take("activation", IntakeBench.activation())
        #expect(bench.due.map(IntakeBench.clickID) == ["own"])
    }

    /// Somebody who knows a device's digest could push its click out with four others.
    @Test(arguments: [("9", 50), ("112233", -25_920_000)] as [(String, Int64)])
    func clicksOnOtherAppsAndOfTheFuturePushNoneOut(app: String, secondsBefore: Int64) throws {
        let bench = try IntakeBench(Self.matching)
        bench.take("activation-click", IntakeBench.click(id: "c", secondsBefore: 100))
        for number in 0..<9 {
            let before = secondsBefore + Int64(number)
            bench.take(
                "activation-click",
                IntakeBench.click(id: "x\(number)", secondsBefore: before, app: app)
            )
        }
        bench.take("activation", IntakeBench.activation())
        #expect(bench.due.map(IntakeBench.clickID) == ["c"])
    }

    /// A phone keeps its activation for as long as `sdk.event_window` until an upload is answered.
    @Test func anActivationThatIsUploadedLateFindsItsClick() throws {
        let bench = try IntakeBench(Self.matching)
        bench.take("activation-click", IntakeBench.click(id: "c", secondsBefore: 6 * 86_400))
        bench.scene.wait(.seconds(8 * 86_400))
        bench.scene.collect()
        bench.take("activation", IntakeBench.activation())
        #expect(bench.due.map(IntakeBench.clickID) == ["c"])
        bench.scene.wait(.seconds(7 * 86_400))
        bench.scene.collect()
        let forgotten = bench.scene.sent(to: "activation.home.changelog").filter { $0.value == nil }
        #expect(forgotten.count >= 1)
    }

    /// Nothing is installed within a second, and Tencent's own server of attribution wants the click to be earlier.
    @Test func aClickOfTheSameSecondHasLedToNothing() throws {
        let bench = try IntakeBench(Self.matching)
        bench.take("activation-click", IntakeBench.click(id: "c", secondsBefore: 0))
        bench.take("activation", IntakeBench.activation())
        #expect(bench.codes(in: "activation.result") == ["attribution.no_click"])
        bench.take("activation-click", IntakeBench.click(id: "d", secondsBefore: 1))
        bench.take("activation", IntakeBench.activation())
        #expect(bench.due.map(IntakeBench.clickID) == ["d"])
    }

    /// A flood of one kind pushes out none of another.
    @Test func aFloodOfEventsForgetsNoClick() throws {
        let bench = try IntakeBench(Self.matching)
        bench.take("activation-click", IntakeBench.click(id: "c", secondsBefore: 100))
        for number in 0..<900 {
            let body = #"[{"deviceId":"d\#(number)","dataSourceId":"s","timestamp":1,"eventType":"PAGE"}]"#
            bench.take("sdk-upload", Array(body.utf8), headers: self.jsonUpload)
        }
        bench.scene.isCrowded = true
        for number in 0..<30 {
            let muid = String(format: "%032x", number + 1_000)
            bench.take("activation-click", IntakeBench.click(muid: muid, id: "\(number)", secondsBefore: 100))
        }
        bench.take("activation", IntakeBench.activation())
        #expect(bench.due.map(IntakeBench.clickID) == ["c"])
    }

    /// The outcome of an activation that is not reported has the key of one that is: the device.
    @Test func theKeyOfAnOutcomeIsTheDevice() throws {
        let bench = try IntakeBench(Self.matching)
        bench.take("activation", IntakeBench.activation(), key: "order-7")
        #expect(bench.scene.sent(to: "activation.result").map(\.key) == [Array(IntakeBench.muid.utf8)])
    }

    @Test func aClickIsFoundByItsIdToo() throws {
        let bench = try IntakeBench(Self.matching)
        let other = String(IntakeBench.muid.reversed())
        for number in 0..<8 {
            bench.take(
                "activation-click",
                IntakeBench.click(muid: other, id: "c\(number)", secondsBefore: 100)
            )
            let muid = String(format: "%032x", number + 1_000)
            bench.take("activation", IntakeBench.activation(muid: muid, click: "c\(number)"))
        }
        #expect(bench.due.map(IntakeBench.clickID) == (0..<8).map { "c\($0)" })
    }

    @Test(arguments: [
        (7 * 86_400 + 1, nil as String?), (100, "unknown"),
    ])
    func withoutAClickInTheWindowNothingIsReported(secondsBefore: Int64, named: String?) throws {
        let bench = try IntakeBench(Self.matching)
        let muid = named == nil ? IntakeBench.muid : String(IntakeBench.muid.reversed())
        bench.take("activation-click", IntakeBench.click(muid: muid, id: "c", secondsBefore: secondsBefore))
        bench.take("activation", IntakeBench.activation(click: named))
        #expect(bench.due.isEmpty)
        #expect(bench.codes(in: "activation.result") == ["attribution.no_click"])
        // It does not count as reported: a click that comes late still leads to its report.
        bench.take("activation-click", IntakeBench.click(id: "late", secondsBefore: 10))
        bench.take("activation", IntakeBench.activation(click: named))
        #expect(bench.due.map(IntakeBench.clickID) == ["late"])
    }

    /// A publisher must not be able to say that a click was found.
    @Test func aPublisherCannotClaimAClick() throws {
        let bench = try IntakeBench(Self.matching)
        let claim = RecordHeader(
            HomeRecord.clickHeader,
            "112233 \(IntakeBench.start.wall / 1_000 - 5) forged"
        )
        bench.take("activation", IntakeBench.activation(), headers: [claim])
        #expect(bench.codes(in: "activation.result") == ["attribution.no_click"])
    }

    @Test func aClickThatCannotBeReadHasAnOutcome() throws {
        let bench = try IntakeBench(Self.matching)
        let known = "muid=\(IntakeBench.muid)&click_time=\(IntakeBench.start.wall / 1_000 - 100)"
        for query in [
            "muid=__MUID__&click_time=1795247999", "muid=\(IntakeBench.muid)",
            String(repeating: "a", count: 20_000), "\(known)&appid=com.example.app",
            "\(known)&appid=%20112233",
            "\(known)&appid=-1", "\(known)&advertiser_id=1e4",
        ] {
            bench.take("activation-click", Array(query.utf8))
        }
        #expect(
            bench.codes(in: "activation.result") == [
                "click.no_identity", "click.time", "click.too_large", "click.app_id", "click.app_id",
                "click.app_id", "click.advertiser_id",
            ]
        )
        // None of them has led to an activation of any app.
        bench.take("activation", IntakeBench.activation())
        #expect(bench.due.isEmpty)
    }

    /// A machine that was suspended, or whose clock is slow, once refused all clicks for good.
    @Test(arguments: [(0, "click.time"), (600, nil)] as [(Int64, String?)])
    func aClickOfTheFutureIsOneByBothClocks(ahead: Int64, code: String?) throws {
        let bench = try IntakeBench(Self.matching)
        bench.take(
            "activation-click",
            IntakeBench.click(id: "c", secondsBefore: -600),
            timestamp: IntakeBench.start.wall + ahead * 1_000
        )
        #expect(bench.codes(in: "activation.result") == [code].compactMap(\.self))
    }
}
