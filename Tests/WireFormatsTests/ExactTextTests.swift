import Records
import Testing
import WireMessages

@testable import WireFormats

/// Texts of strangers for which Swift's own comparison of strings would need hours: their normal form takes a time that
/// grows with the square of their marks.
@Suite(.timeLimit(.minutes(1)))
struct ExactTextTests {
    /// 800 kB after a beginning, with each pair of marks in another order than the normal form has.
    static func long(_ beginning: String, pairs: Int = 200_000) -> String {
        beginning + String(repeating: "\u{301}\u{323}", count: pairs)
    }

    private static let needed = #""deviceId":"d","dataSourceId":"s","timestamp":1"#

    private func event(_ members: String) throws -> SDKEvent {
        let text = "[{\(Self.needed),\(members)}]"
        let request = SDKUploadRequest(target: "/v3/projects/a/collect", headers: [], body: Array(text.utf8))
        return try #require(try SDKUpload(decoding: request).events.first)
    }

    @Test func textsAreEqualIfTheirBytesAre() {
        let (composed, decomposed) = ("\u{E9}", "e\u{301}")
        #expect(composed == decomposed && !composed.isExactly(decomposed) && composed.isExactly("\u{E9}"))
        #expect(Set([composed, decomposed, composed].map { ExactText($0) }).count == 2)
        #expect(ExactText(decomposed) < ExactText(composed))
        #expect(AppType(exactly: "IOS") == .ios && AppType(exactly: "ios") == nil)
        let texts: Set = [ExactText(Self.long("a")), ExactText(Self.long("a")), ExactText(Self.long("b"))]
        #expect(texts.count == 2)
    }

    // MARK: - Uploads

    @Test func namesOfEntriesMayHaveAnyLength() throws {
        let name = Self.long("a")
        let event = try self.event(#""attributes":{"\#(name)":"1","b":"2","\#(name)":"3"}"#)
        #expect(event.entries(.attributes).map(\.value) == ["3", "2"])
        #expect(event.id.utf8.count == 32)
    }

    @Test func namesOfOneNormalFormAreTwoEntries() throws {
        let names = ["\u{E9}", "e\u{301}"]
        let event = try self.event(#""attributes":{"\#(names[0])":"1","\#(names[1])":"2"}"#)
        let entries = event.entries(.attributes)
        #expect(entries.map(\.value) == ["1", "2"])
        #expect(entries.map { Array($0.name.utf8) } == names.map { Array($0.utf8) })
    }

    @Test func namesInsideAResourceItemMayHaveAnyLength() throws {
        for name in ["a", "id", "key", "attributes", "i"] {
            let event = try self.event(#""resourceItem":{"id":"1","\#(Self.long(name))":"2","key":"3"}"#)
            #expect(event.resource.id == "1" && event.resource.key == "3")
        }
    }

    @Test func typesAndNamesOfEventsMayHaveAnyLength() throws {
        let type = try self.event(#""eventType":"\#(Self.long("A"))""#).type
        let (isActivation, isKnown) = (type == .activate, type.isKnown)
        #expect(!isActivation && !isKnown)
        let (idfa, name) = (Self.long("0"), Self.long("$"))
        let event = try self.event(#""eventType":"ACTIVATE","idfa":"\#(idfa)","eventName":"\#(name)""#)
        #expect(SDKActivation(event, account: "a")?.kind == .unknown)
    }

    @Test func codecsMayHaveAnyLength() {
        func fault(_ header: String, _ value: String) -> SDKUploadFault? {
            let request = SDKUploadRequest(
                target: "/v3/projects/a/collect",
                headers: [(header, value)],
                body: Array("[{\(Self.needed)}]".utf8)
            )
            do throws(SDKUploadFault) {
                _ = try SDKUpload(decoding: request)
                return nil
            } catch {
                return error
            }
        }
        #expect(fault("X-Crypt-Codec", Self.long("1")) == .unknownCryptCodec)
        #expect(fault("X-Compress-Codec", Self.long("0")) == .unknownCompressCodec)
        #expect(fault("Content-Type", Self.long("a")) == .contentType)
        #expect(fault(Self.long("c"), "x") == nil)
    }

    // MARK: - Records

    @Test func headersMayHaveNamesOfAnyLength() {
        let headers = ["c", "t", "dlq.", "flotilla.retry."].map { RecordHeader(Self.long($0), "x") }
        let record = InboundRecord(topic: "t", partition: 0, offset: 0, headers: headers)
        #expect(record.header("content-type") == nil)
        let (hasTicket, hasTrace) = (RetryTicket(headers) != nil, TraceContext(headers) != nil)
        #expect(!hasTicket && !hasTrace)
        let notices = headers.count { DeadLetterNotice.isNotice($0.name) }
        #expect(notices == 0)
    }

    @Test(arguments: ["application/json", "APPLICATION/Vnd.x+json ; charset=utf-8"])
    func usualTypesOfContentAreStillKnown(text: String) {
        #expect(ContentType(Array(text.utf8)) == .json)
    }

    @Test func wordsOfActivationsMayHaveAnyLength() {
        func code(_ change: @escaping Change) -> String? {
            let fault = #expect(throws: Activation.Fault.self) { try ActivationDraft(change).activation() }
            guard case .record(let record)? = fault else { return nil }
            return record.reason.code
        }
        let (appType, conversionType) = (Self.long("I"), Self.long("M"))
        #expect(code({ $0.appType = appType }) == "app_type.unknown")
        #expect(code({ $0.conversionType = conversionType }) == "conversion_type.unknown")
    }

    @Test func operationsMayHaveAnyLength() {
        let word = Self.long("q")
        let fault = #expect(throws: DeviceCheck.Fault.self) { try DeviceCheckDraft({ $0.op = word }).check() }
        guard case .record(let record)? = fault else {
            Issue.record("no fault of the record")
            return
        }
        #expect(record.reason.code == "op.unknown")
    }

    @Test func wordsOfPushEventsMayHaveAnyLength() throws {
        let (type, environment, status) = (Self.long("a"), Self.long("p"), Self.long("r"))
        let untyped = try PushEventDraft({ $0.type = type }).refusal()
        #expect(untyped?.reason.code == "type.unknown")
        let elsewhere = try PushEventDraft({ $0.environment = environment }).refusal()
        #expect(elsewhere?.reason.code == "environment.unknown")
        let refusal = try PushEventDraft {
            $0.type = "sent"
            $0.status = status
        }.refusal()
        #expect(refusal?.reason.code == "status.unknown")
        let report = #"{"type":"\#(type)","deviceId":"d"}"#
        #expect(throws: PushReports.Fault.type) {
            try PushReports(Array(report.utf8), types: [.arrived], limit: 1)
        }
    }

    /// A click has 16 KiB at most.
    @Test func parametersOfClicksMayHaveAnyLength() throws {
        let (name, value) = (Self.long("m", pairs: 1_500), Self.long("__", pairs: 1_500))
        let query = "\(name)=1&x=\(value)&muid=0f074dc8e1f0547310e729032ac0730b&click_time=1763962605"
        #expect(try AdClick(query: Array(query.utf8)).muid == "0f074dc8e1f0547310e729032ac0730b")
    }

    // MARK: - Receipts

    @Test func textsOfReceiptsMayHaveAnyLength() {
        let json = #"{"receiptData":"x","environment":"\#(Self.long("s"))"}"#
        let fault = #expect(throws: Receipt.Fault.self) {
            try Receipt(decoding: ReceiptTests.record(Array(json.utf8)))
        }
        var code: String?
        if case .refused(let reason, _)? = fault { code = reason.code }
        #expect(code == "environment.unknown")
        let wrapped = #"{"Payload":"x","Store":"\#(Self.long("A"))"}"#
        let other = #expect(throws: AppReceiptFault.self) { try ReceiptInput(Array(wrapped.utf8)) }
        #expect(other?.reason.code == "receipt.other_store")
        let list = OldPropertyList(Array("{ \"\(Self.long("a"))\" = \"1\"; }".utf8))
        let isList = list != nil
        #expect(!isList)
        let isProduction = StoreEnvironment(receiptType: Self.long("P")) == .production
        #expect(!isProduction)
    }

    @Test func idsOfTransactionsMayHaveAnyLength() {
        let id = Self.long("1")
        var purchases = StorePurchases()
        purchases.add([id, id, "1"].map { ReceiptJudgementTests.transaction($0) })
        purchases.learn(from: purchases.transactions)
        #expect(purchases.transactions.count == 2)
    }
}
