import Foundation
import Records
import Testing
import WorkerTestSupport

@testable import DeadLetters
@testable import WireFormats

@Suite struct ReasonGuideTests {
    /// The list in the documents: `a.` + `b`, `c` means `a.b` and `a.c`, up to the next semicolon.
    private static let documented: [String] = {
        guard let list = try? Documents.section("reason codes") else { return [] }
        return list.split(separator: ";").flatMap { part in
            let words = part.matches(of: #/`([^`]+)`/#).map { String($0.1) }.filter { !$0.hasPrefix("_") }
            guard let stem = words.first(where: { $0.hasSuffix(".") }) else { return words }
            return words.map { $0.contains(".") ? $0 : stem + $0 }.filter { !$0.hasSuffix(".") }
        }
    }()

    /// Every text in the sources that is a code with a sentence after it.
    private static let written: [String] = {
        let folders = [
            "Wire/WireFormats", "Engine/ServiceKit", "Engine/WorkerKit", "Workers/ActivationIntake",
            "Workers/ActivationWorker",
            "Workers/DeviceCheckWorker", "Workers/ReceiptWorker",
        ]
        let sources = folders.flatMap { folder -> [String] in
            let folder = Documents.root.appending(path: "Sources/\(folder)")
            let files =
                FileManager.default.enumerator(atPath: folder.path())?.compactMap { $0 as? String } ?? []
            return files.filter { $0.hasSuffix(".swift") }
                .compactMap { try? String(contentsOf: folder.appending(path: $0), encoding: .utf8) }
        }
        let dotted = #/\(\s*"([a-z][a-z0-9_]*(?:\.[a-z0-9_-]+)+)",\s*"[A-Z]/#
        let plain = #/Reason\(\s*"([a-z0-9_]+)",/#
        return Set(
            sources.flatMap { text in
                text.matches(of: dotted).map { String($0.1) } + text.matches(of: plain).map { String($0.1) }
            }
        ).sorted()
    }()

    /// Codes that are put together of parts.
    private static let composed =
        ["resolve", "connect", "tls", "timeout", "cut", "malformed", "too_large", "other"].flatMap {
            ["transport.\($0)", "transport.\($0)_after_send"]
        } + [400, 401, 404, 405, 408, 413, 429, 451, 500, 503, 301, 418, 100].map { "http.\($0)" } + [
            "http.other"
        ]
        + (-99...99).map { "gdt.\($0)" } + ["gdt.other"]
        + StorePurchases.Flaw.allPlaces + ["bundle_id", "request_id", "subject"].map { $0 + ".too_long" }
        + ["token_created_at", "received_at", "requested_at"].map { $0 + ".malformed" }
        + ["provider", "message_id", "campaign_id", "app_bundle", "device_id", "event_id"].flatMap {
            [$0 + ".too_long", $0 + ".malformed"]
        }

    @Test func findsTheCodesInTheDocuments() throws {
        _ = try Documents.section("reason codes")
        #expect(Self.documented.count >= 40)
        for code in [
            "value.tombstone", "value.negative", "device_id.zero", "deadline", "transport.cut", "gdt.<ret>",
        ] {
            #expect(Self.documented.contains(code))
        }
    }

    @Test func findsTheCodesInTheSources() {
        #expect(Self.written.count >= 120)
        for code in [
            "crash_loop", "head_of_line", "retry.no_ticket", "value.empty", "jws.chain", "appstore.app",
            "muid.malformed",
        ] {
            #expect(Self.written.contains(code), "\(code)")
        }
    }

    @Test(arguments: documented + written + composed)
    func hasSomethingToSayOfEveryCode(code: String) {
        let guide = ReasonGuide(code: code)
        #expect(guide.isSpecific, "\(code) is in no list")
    }

    /// Letters die for these: what is said of their family would be too little, or wrong.
    @Test(arguments: [
        "crash_loop", "head_of_line", "deadline", "retry.no_ticket", "value.not_json", "gdt.-1", "gdt.-2",
        "gdt.-12",
        "configuration.unknown_app", "configuration.unknown_team", "devicecheck.unexplained",
        "verifyreceipt.21004",
        "receipt.missing", "field.wrong_type", "device_id.missing", "type.unknown", "payload.malformed",
    ])
    func saysItOfTheCodeItself(code: String) {
        let family = String(code.prefix { $0 != "." }) + ".some_other_code"
        #expect(ReasonGuide(code: code) != ReasonGuide(code: family))
    }

    @Test(arguments: ReasonRules.standard.codes, DeadLetterDialect.allCases.filter { $0 != .flotilla })
    func hasSomethingToSayOfEveryRule(code: String, dialect: DeadLetterDialect) {
        #expect(ReasonGuide(code: code, kind: "exception", dialect: dialect).isSpecific)
    }

    @Test(arguments: [
        ("SocketTimeoutException", DeadLetterDialect.spring, "timeout"),
        ("ConnectException", .spring, "connection_refused"),
        ("RecordTooLargeException", .streams, "too_large"),
        ("DeserializationException", .spring, "deserialization"),
        ("SerializationException", .streams, "deserialization"),
        ("DataException", .connect, "deserialization"),
        ("MessageConversionException", .spring, "deserialization"),
        ("TopicAuthorizationException", .streams, "authorization"),
        ("SaslAuthenticationException", .streams, "authentication"),
        ("NullPointerException", .spring, "null_pointer"),
        ("ClassCastException", .streams, "null_pointer"),
        ("MethodArgumentNotValidException", .spring, "validation"),
        ("IllegalArgumentException", .spring, "validation"),
        ("UnknownHostException", .spring, "unknown_host"),
        ("DataIntegrityViolationException", .spring, "duplicate"),
        ("RetriableException", .connect, "unavailable"),
        ("SSLHandshakeException", .connect, "tls"), ("EntityNotFoundException", .spring, "not_found"),
    ])
    func knowsExceptionsByTheirNames(name: String, dialect: DeadLetterDialect, code: String) {
        #expect(ReasonGuide(code: name, dialect: dialect) == ReasonGuide.frameworks[code])
    }

    @Test func tellsConnectsExceptionFromJavas() {
        #expect(ReasonGuide(code: "ConnectException", dialect: .connect) == ReasonGuide.dialects[.connect])
    }

    @Test func fallsBackOnTheClassAndThenOnTheDialect() {
        for kind in DeadLetter.Class.allCases {
            let guide = ReasonGuide(code: "unknown", kind: kind.rawValue)
            #expect(!guide.isSpecific && guide.meaning == ReasonGuide.classes[kind.rawValue]?.meaning)
        }
        for dialect in DeadLetterDialect.allCases where dialect != .flotilla && dialect != .unknown {
            let guide = ReasonGuide(code: "FooBar", kind: "exception", dialect: dialect)
            #expect(!guide.isSpecific && guide.meaning == ReasonGuide.dialects[dialect]?.meaning)
        }
        #expect(!ReasonGuide(code: "", kind: "", dialect: .unknown).meaning.isEmpty)
        #expect(!ReasonGuide(code: ".", kind: "nobody.knows").isSpecific)
        #expect(!ReasonGuide(code: "mine.own").isSpecific)
    }

    @Test func readsTheFacts() {
        var facts = DeadLetterFacts(HeaderBlock([]))
        (facts.dialect, facts.reason, facts.kind) = (.flotilla, "gdt.-1", "rejected")
        #expect(ReasonGuide(facts) == ReasonGuide.upstreams["gdt.-1"])
    }

    /// Short sentences: whoever reads them is tired.
    /// Its worker knew the record; a reason tells of many.
    @Test(arguments: DeadLetter.Replayable.allCases)
    func believesWhatTheLetterSaysOfAReplay(replayable: DeadLetter.Replayable) {
        var facts = DeadLetterFacts(
            HeaderBlock([
                RecordHeader("dlq.reason", "gdt.-2"), RecordHeader("dlq.replayable", replayable.rawValue),
            ])
        )
        #expect(ReasonGuide(facts).replay == replayable)
        facts.replayable = nil
        #expect(ReasonGuide(facts) == ReasonGuide(code: "gdt.-2"))
    }

    @Test func isWrittenInSentences() {
        let tables: [[ReasonGuide]] = [
            Array(ReasonGuide.records.values), Array(ReasonGuide.upstreams.values),
            Array(ReasonGuide.activations.values), Array(ReasonGuide.receipts.values),
            Array(ReasonGuide.families.values), Array(ReasonGuide.frameworks.values),
            Array(ReasonGuide.classes.values),
            Array(ReasonGuide.dialects.values), Array(ReasonGuide.endings.values),
            (100...599).map(ReasonGuide.entry(forStatus:)),
        ]
        for guide in tables.flatMap(\.self) {
            for text in [guide.meaning, guide.advice, guide.replayAdvice] {
                #expect(text.first?.isUppercase == true || text.hasPrefix("e.q"), "\(text)")
                #expect(text.hasSuffix(".") && text.count <= 240 && !text.contains("  "), "\(text)")
                #expect(
                    text.unicodeScalars.allSatisfy { $0.isASCII && !SafeText.isTreacherous($0) },
                    "\(text)"
                )
            }
        }
    }
}

extension StorePurchases.Flaw {
    fileprivate static var allPlaces: [String] {
        ["transaction", "verifyreceipt"].flatMap { place in
            [Self.unreadableExpiry, .withoutIDs].map { $0.reason(in: place).code }
        }
    }
}
