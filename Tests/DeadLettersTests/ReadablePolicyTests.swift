import Records
import Testing
import WireFormats

@testable import DeadLetters

/// The texts of letters that may be read without a reason in the audit trail.
@Suite struct ReadablePolicyTests {
    private static let mark = KeyedMark(salt: "salt")

    /// Returns the headers with their values, or `#` for a value that is masked.
    private static func shown(
        _ headers: [(name: String, value: String)],
        by policy: ReadablePolicy = .usual,
        dialect: DeadLetterDialect = .flotilla
    ) -> [String] {
        let mask = LetterMask(mark: self.mark, readable: policy)
        let records = headers.map { RecordHeader($0.name, $0.value) }
        let isOfPhone = ReadablePolicy.isOfPhone(records)
        return records.map { header in
            let value = mask.value(of: header, dialect, isOfPhone: isOfPhone, limit: 1_024) ?? ""
            return value.hasPrefix("#") ? "\(header.name) #" : "\(header.name) \(value)"
        }
    }

    @Test func headersOfPublishersAreReadUnlessTheirNamesSoundPersonal() {
        #expect(
            Self.shown([
                ("tenant", "acme"), ("x-release", "7.1"), ("correlation-id", "order-7"),
                ("x-user-id", "anna"),
                ("Authorization", "Bearer a"), ("X-Forwarded-For", "10.1.2.3"), ("session", "a"),
                ("from", "a"),
                ("record_key", "a"), ("kafka_dlt-original-message-key", "a"),
            ]) == [
                "tenant acme", "x-release 7.1", "correlation-id order-7", "x-user-id #", "Authorization #",
                "X-Forwarded-For #", "session #", "from #", "record_key #",
                "kafka_dlt-original-message-key #",
            ]
        )
    }

    @Test func headersOfAPhoneAreReadOnlyWhereTheyAreNamedInFull() throws {
        let upload = [("upload.target", "/v3?stm=1"), ("accept", "text/html"), ("x-region", "eu")]
        #expect(Self.shown(upload) == ["upload.target #", "accept #", "x-region #"])
        let policy = try ReadablePolicy(["header:accept", "header:x-*", "header:upload.target"])
        #expect(
            Self.shown(upload, by: policy) == ["upload.target /v3?stm=1", "accept text/html", "x-region #"]
        )
        #expect(Self.shown([("click.client_ip", "10.1.2.3"), ("tenant", "acme")]).last == "tenant #")
    }

    @Test func aNameInFullOpensAlsoWhatSoundsPersonal() throws {
        let policy = try ReadablePolicy(["header:x-user-id"])
        #expect(
            Self.shown([("x-user-id", "anna"), ("tenant", "acme")], by: policy) == [
                "x-user-id anna", "tenant #",
            ]
        )
    }

    @Test func longAndUnreadableValuesStayMasked() {
        let mask = LetterMask(mark: Self.mark, readable: .usual)
        func isShown(_ value: [UInt8]) -> Bool {
            mask.value(of: RecordHeader("tenant", value), .flotilla, isOfPhone: false, limit: 1_024)
                != Self.mark.text(value)
        }
        #expect(isShown([UInt8](repeating: 0x61, count: 256)))
        #expect(!isShown([UInt8](repeating: 0x61, count: 257)))
        #expect(!isShown([0xAC, 0xED, 0x00, 0x05]))
    }

    @Test(arguments: [
        (DeadLetterDialect.spring, "kafka_dlt-exception-message"),
        (.connect, "__connect.errors.exception.message"),
        (.streams, "__streams.errors.message"), (.watermill, "reason_poisoned"),
        (.unknown, "x-error-message"),
        (.kip1191, "__dlq.errors.message"),
    ])
    func errorTextsOfOthersAreReadIfThePolicySaysSo(dialect: DeadLetterDialect, name: String) throws {
        let text = String(repeating: "no such order ", count: 30)
        #expect(Self.shown([(name, text)], dialect: dialect) == ["\(name) \(text)"])
        #expect(
            Self.shown([(name, text)], by: try ReadablePolicy(["header:*"]), dialect: dialect) == [
                "\(name) #"
            ]
        )
        // Stack traces and what else a framework adds are neither a message nor a publisher's.
        let trace = "kafka_dlt-exception-stacktrace"
        #expect(Self.shown([(trace, "at a.b")], dialect: .spring) == ["\(trace) #"])
    }

    @Test func fieldsAreReadWhereThePolicyNamesThem() throws {
        let policy = try ReadablePolicy(["field:order.*.state", "field:muid"])
        func text(_ json: String, _ schema: DeadLetterSchema? = nil) -> String? {
            DeadLetterPayloadTests.payload(json, schema: schema).masked(showing: policy) { _ in "#" }.tree?
                .line()
        }
        #expect(
            text(#"{"order":{"lines":[{"state":"sent","note":"for Anna"},{"state":2}],"state":"open"}}"#)
                == ##"{"order":{"lines":[{"state":"sent","note":"#"},{"state":2}],"state":"#"}}"##
        )
        #expect(text(#"{"muid":"m","deviceId":"d"}"#, .activation) == ##"{"muid":"m","deviceId":"#"}"##)
        let long = String(repeating: "x", count: 257)
        #expect(text("{\"muid\":\"\(long)\"}") == ##"{"muid":"#"}"##)
        // Neither a whole text nor the attributes of a CloudEvent are a field.
        let any = try ReadablePolicy(["field:*"])
        #expect(DeadLetterPayloadTests.payload("Anna").masked(showing: any) { _ in "#" }.lines() == ["#"])
    }

    @Test(arguments: ["", "header:", "field:", "headers:*", "messages", "tenant"])
    func whatIsNoItemIsRefused(item: String) {
        #expect(throws: ReadablePolicy.Fault.self) { try ReadablePolicy([item]) }
    }

    @Test func theUsualPolicyIsThatOfItsItems() throws {
        #expect(try ReadablePolicy(ReadablePolicy.usualItems) == .usual)
        #expect(try ReadablePolicy([]) == .strict)
    }
}
