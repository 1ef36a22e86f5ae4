package import WireFormats

/// The explanation of a dead letter's reason for the engineer on call: what it means, whether a replay can
/// help, and what to do.
package struct ReasonGuide: Hashable, Sendable {
    /// One sentence that says what happened.
    package var meaning: String
    /// Whether publishing the record again can help.
    package var replay: DeadLetter.Replayable
    /// The steps that the engineer can take, in one or a few sentences.
    package var advice: String
    /// Whether the guide has an entry for the reason itself, and not only for the letter's class or dialect.
    package private(set) var isSpecific = true

    init(_ replay: DeadLetter.Replayable, _ meaning: String, advice: String) {
        self.replay = replay
        self.meaning = meaning
        self.advice = advice
    }

    /// Looks up the entry for a reason; the class, then the dialect, stand in if there is none.
    ///
    /// - Parameters:
    ///   - code: a reason's code, or the short name of an exception's class.
    ///   - kind: the letter's class, for a code that has no entry.
    package init(code: String, kind: String = DeadLetterFacts.unknown, dialect: DeadLetterDialect = .flotilla)
    {
        let entry =
            dialect == .flotilla || code.contains(".")
            ? Self.entry(for: code) : Self.frameworks[code] ?? Self.entry(forException: code, dialect)
        if let entry {
            self = entry
            return
        }
        self = Self.classes[kind] ?? Self.dialects[dialect] ?? Self.unknown
        self.isSpecific = false
    }

    /// Looks up the entry for one letter. If the letter itself states whether a replay can help, that counts
    /// more than the entry, because the worker knew the record.
    package init(_ facts: DeadLetterFacts) {
        self.init(code: facts.reason, kind: facts.kind, dialect: facts.dialect)
        if let replayable = facts.replayable { self.replay = replayable }
    }

    /// A sentence that answers whether the letter can simply be replayed.
    package var replayAdvice: String {
        switch self.replay {
        case .yes: "A replay can help."
        case .afterFix: "A replay can help once the cause is mended."
        case .no: "A replay as it is will not help."
        }
    }

    /// Returns the entry of the code itself, or of the family that the code belongs to: `gdt.` for `gdt.-77`.
    /// A transport code with the ending `_after_send` has the entry of the code without it.
    private static func entry(for code: String) -> ReasonGuide? {
        for table in [self.records, self.activations, self.upstreams, self.receipts] {
            if let entry = table[code] { return entry }
        }
        guard let dot = code.firstIndex(of: ".") else { return nil }
        if code.hasPrefix("transport."), code.hasSuffix(self.afterSend) {
            return self.entry(for: String(code.dropLast(self.afterSend.count)))
        }
        let (family, rest) = (String(code[...dot]), code[dot...].dropFirst())
        if family == "http.", let status = Int(rest) { return self.entry(forStatus: status) }
        return self.families[family] ?? self.endings[String(code[dot...])]
    }

    private static let afterSend = "_after_send"

    /// Returns the entry for an exception, chosen by the words that occur in the name of its class.
    private static func entry(forException name: String, _ dialect: DeadLetterDialect) -> ReasonGuide? {
        // Kafka Connect's own `ConnectException` has the same name as Java's exception for a refused
        // connection.
        if dialect == .connect, name == "ConnectException" { return Self.dialects[.connect] }
        let lowercased = name.lowercased()
        let rule = self.exceptionWords.first { words, _ in words.contains { lowercased.contains($0) } }
        return rule.flatMap { self.frameworks[$0.code] }
    }

    /// The words that are looked for in an exception's name, the most specific first. The codes are those of
    /// `ReasonRules`.
    private static let exceptionWords: [(words: [String], code: String)] = [
        (["toolarge"], "too_large"),
        (["timeout", "timedout", "deadline"], "timeout"),
        (["unknownhost"], "unknown_host"),
        (["ssl", "certificate"], "tls"),
        (["serializ", "parse", "json", "conver", "decod", "dataexception", "malformed"], "deserialization"),
        (["schema", "avro"], "schema"),
        (["authoriz", "accessdenied", "forbidden"], "authorization"),
        (["authentic", "unauthorized", "credential"], "authentication"),
        (["connectexception", "connectionrefused"], "connection_refused"),
        (["socket", "disconnect", "eofexception", "network", "connection"], "connection_lost"),
        (["ratelimit", "throttl", "toomanyrequests", "quota"], "rate_limited"),
        (["outofmemory"], "out_of_memory"),
        (["duplicate", "alreadyexists", "integrityviolation"], "duplicate"),
        (["deadlock", "optimisticlock", "cannotacquirelock", "serializationfailure"], "conflict"),
        (["nullpointer", "classcast", "nosuchmethod", "nosuchfield", "indexoutofbounds"], "null_pointer"),
        (["validation", "notvalid", "illegalargument", "constraint", "argumentresolution"], "validation"),
        (["notfound", "nosuchelement"], "not_found"),
        (["unavailable", "retriable"], "unavailable"),
        (["interrupted", "cancel"], "cancelled"),
    ]

    private static let unknown = ReasonGuide(
        .afterFix,
        "Nothing is known about this reason.",
        advice:
            "Read the message and the worker's log of that time. Replay one record first, and look how it ends."
    )
}
