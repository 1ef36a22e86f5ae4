import WireFormats

/// Rules that derive a stable reason code from a message, for dialects that have nothing more stable.
///
/// A message differs from record to record in its numbers, ids and quoted values. `MessageShape` removes them
/// first, so that they cannot decide. The first rule with a phrase that occurs in the rest gives the code.
package struct ReasonRules: Sendable {
    /// One reason code, and the phrases of a message that lead to it.
    package struct Rule: Sendable {
        /// The reason code that the rule gives.
        package var code: String
        /// The phrases, in lower case, as `MessageShape` leaves a message. One of them is enough.
        package var phrases: [String]

        /// Makes a rule of a code and its phrases, which have to be in lower case.
        package init(_ code: String, _ phrases: String...) {
            self.code = code
            self.phrases = phrases
        }
    }

    private let rules: [(code: String, phrases: [[UInt8]])]

    /// Takes rules in order of precedence: the first that applies gives the code.
    package init(_ rules: [Rule]) {
        self.rules = rules.map { ($0.code, $0.phrases.map { Array($0.utf8) }) }
    }

    /// The codes of all rules, in their order.
    var codes: [String] { self.rules.map(\.code) }

    /// Returns the code of the first rule that applies to the message; `unknown` if no rule applies.
    package func code(for message: String) -> String {
        guard !message.isEmpty else { return DeadLetterFacts.unknown }
        let shape = MessageShape(message.utf8).bytes
        let rule = self.rules.first { rule in rule.phrases.contains { Self.contains($0, in: shape) } }
        return rule?.code ?? DeadLetterFacts.unknown
    }

    private static func contains(_ phrase: [UInt8], in text: [UInt8]) -> Bool {
        guard let first = phrase.first, text.count >= phrase.count else { return false }
        for start in 0...(text.count - phrase.count)
        where text[start] == first && text[start...].starts(with: phrase) { return true }
        return false
    }
}

extension ReasonRules {
    /// The rules that the fleet uses, the most specific first.
    package static let standard = ReasonRules([
        // A broker dead-letters a share group's record for two causes (KIP-1191).
        Rule("rejected_by_client", "rejected by client"),
        Rule("delivery_count", "delivery count exceeded"),
        Rule(
            "timeout",
            "timed out",
            "timeout",
            "time out",
            "deadline exceeded",
            "etimedout"
        ),
        Rule("connection_refused", "connection refused", "econnrefused"),
        Rule(
            "connection_lost",
            "connection reset",
            "econnreset",
            "broken pipe",
            "epipe",
            "connection closed",
            "connection aborted",
            "unexpected eof",
            "disconnected"
        ),
        Rule(
            "unknown_host",
            "no such host",
            "unknown host",
            "unknownhost",
            "name resolution",
            "getaddrinfo",
            "enotfound",
            "name or service not known"
        ),
        Rule("unreachable", "no route to host", "unreachable"),
        Rule("tls", "certificate", "tls handshake", "ssl handshake", "x509", "handshake failure"),
        Rule("rate_limited", "too many requests", "rate limit", "ratelimit", "throttl", "quota"),
        Rule("unavailable", "service unavailable", "bad gateway", "unavailable", "try again later"),
        Rule(
            "too_large",
            "too large",
            "toolarge",
            "too big",
            "exceeds the maximum",
            "exceeds maximum",
            "message size",
            "payload size",
            "too long"
        ),
        Rule("schema", "schema", "avro", "subject not found"),
        Rule(
            "deserialization",
            "deserializ",
            "deserialis",
            "unmarshal",
            "unexpected token",
            "unexpected character",
            "invalid character",
            "unexpected end of",
            "malformed",
            "invalid json",
            "parse error",
            "failed to parse",
            "cannot parse",
            "could not parse",
            "parsing",
            "decode",
            "decoding",
            "conversion"
        ),
        Rule("out_of_memory", "out of memory", "outofmemory", "cannot allocate"),
        Rule("out_of_space", "no space left", "disk full"),
        Rule("conflict", "deadlock", "lock wait", "could not serialize access", "optimistic lock"),
        Rule("duplicate", "duplicate", "already exists", "unique constraint"),
        Rule(
            "authentication",
            "unauthenticated",
            "unauthorized",
            "authentication",
            "invalid credentials",
            "token expired",
            "expired token"
        ),
        Rule(
            "authorization",
            "forbidden",
            "permission denied",
            "access denied",
            "not authorized",
            "authorization",
            "not permitted"
        ),
        Rule(
            "null_pointer",
            "nil pointer",
            "null pointer",
            "nullpointer",
            "null reference",
            "undefined method",
            "cannot read properties of",
            "nonetype"
        ),
        Rule("panic", "panic"),
        Rule(
            "validation",
            "validation",
            "invalid",
            "must not be",
            "must be",
            "is required",
            "missing required",
            "constraint"
        ),
        Rule("not_found", "not found", "no such", "does not exist", "notfound"),
        Rule("cancelled", "cancelled", "canceled", "interrupted"),
    ])
}

/// A message without its variable parts. URLs, quoted texts, and words with digits in them (numbers, ids,
/// hashes, dates) become a `#`. The rest is in lower case, with single spaces.
struct MessageShape {
    private(set) var bytes: [UInt8] = []

    init(_ message: some Sequence<UInt8>) {
        var rest = Array(message)[...]
        while let byte = rest.first {
            if let end = Self.endOfQuotation(rest, after: self.bytes.last) {
                self.mark()
                rest = rest[end...]
            } else if Self.isWordByte(byte) {
                let word = rest.prefix(while: Self.isWordByte)
                rest = rest[word.endIndex...]
                if rest.starts(with: "://".utf8) {
                    rest = rest.drop { !$0.isWhiteSpace && !Self.endsAddress($0) }
                    self.mark()
                } else if word.contains(where: \.isDigit) {
                    self.mark()
                } else {
                    self.bytes += word.map(\.lowercased)
                }
            } else {
                if byte.isWhiteSpace {
                    if self.bytes.last != 0x20 { self.bytes.append(0x20) }
                } else {
                    self.bytes.append(byte)
                }
                rest = rest.dropFirst()
            }
        }
    }

    private mutating func mark() {
        if self.bytes.last != UInt8(ascii: "#") { self.bytes.append(UInt8(ascii: "#")) }
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        byte.isAlphanumeric || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-") || byte >= 0x80
    }

    private static func endsAddress(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: ">"):
            true
        default: false
        }
    }

    /// Returns the index after a quotation that starts at the first byte; nil if no quotation starts there or
    /// it does not end. An apostrophe within a word starts no quotation.
    private static func endOfQuotation(_ text: ArraySlice<UInt8>, after previous: UInt8?) -> Int? {
        guard let quote = text.first,
            [UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "`")].contains(quote),
            quote != UInt8(ascii: "'") || previous.map({ !Self.isWordByte($0) }) ?? true
        else { return nil }
        return text.dropFirst().firstIndex(of: quote).map { $0 + 1 }
    }
}
