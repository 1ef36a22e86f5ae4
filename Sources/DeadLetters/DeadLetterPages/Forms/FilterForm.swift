import DeadLetters
import WebPages
import WireFormats

/// The fields of the filter form, as a `LetterFilter`, with a sentence for each field that cannot be
/// understood.
struct FilterForm: Sendable {
    /// The names of the form's fields.
    static let names: Set<String> = [
        "topic", "worker", "class", "reason", "group", "state", "since", "until", "key", "header", "where",
        "id",
    ]

    /// The fields of the filter that have a value; all others of the request are left out.
    let fields: FormFields
    /// The filter, without the fields that cannot be understood. Use it only if `faults` is empty.
    private(set) var filter = LetterFilter()
    /// A sentence for each field that cannot be understood.
    private(set) var faults: [String] = []

    /// Reads the fields.
    ///
    /// - Parameter now: the time in milliseconds since 1970, from which a period such as "2h" counts back.
    init(_ fields: FormFields, now: Int64) {
        self.fields = fields.only(Self.names)
        self.filter.topics = self.fields.all("topic")
        self.filter.workers = self.fields.all("worker")
        self.filter.classes = self.fields.all("class")
        self.filter.reasons = self.fields.all("reason")
        self.filter.groups = self.fields.all("group")
        self.filter.since = self.time("since", now)
        self.filter.until = self.time("until", now)
        self.filter.headers = self.fields.all("header").map { LetterFilter.HeaderCondition($0) }
        self.readStates()
        self.readKey()
        self.readConditions()
        self.readIDs()
    }

    /// The filter in words, for the audit trail and the pages. Keys and conditions on the payload are left out,
    /// because they may hold personal data.
    var selection: String {
        self.fields.pairs.map { "\($0.name)=\(Self.personal.contains($0.name) ? "…" : $0.value)" }
            .joined(separator: " ")
    }

    private static let personal: Set<String> = ["key", "where"]

    /// Whether the form chooses nothing, so that the filter would leave all letters.
    var isEmpty: Bool { self.fields.pairs.isEmpty }

    /// The form's faults, and one more if it chooses nothing. A user who means all letters has to say so by a condition
    /// that all meet, such as a state or a time.
    var faultsOfChoice: [String] {
        self.faults + (self.isEmpty ? ["Nothing is chosen. Choose a group or letters first."] : [])
    }

    /// The sentence that says what is chosen; empty if nothing is.
    var chosen: String { self.isEmpty ? "" : "Chosen: " + SafeText.line(self.selection, limit: 300) }

    private mutating func readStates() {
        for word in self.fields.all("state") {
            guard let state = LetterState(word: word) else {
                self.fault(
                    "state",
                    word,
                    wanted: "open, replayed, succeeded, rejected, expired, dead_again or discarded"
                )
                continue
            }
            self.filter.states.append(state)
        }
    }

    /// Reads the record's key: a text, or bytes as `hex:` and digits.
    private mutating func readKey() {
        guard let text = self.fields["key"] else { return }
        guard text.hasPrefix("hex:") else {
            self.filter.key = Array(text.utf8)
            return
        }
        self.filter.key = Self.bytes(text.dropFirst(4))
        if self.filter.key == nil {
            self.fault("key", text, wanted: "a text, or hex: and an even number of digits")
        }
    }

    /// Reads hexadecimal digits; nil for an odd number of digits or another character.
    private static func bytes(_ digits: Substring) -> [UInt8]? {
        let digits = Array(digits.utf8)
        guard digits.count % 2 == 0 else { return nil }
        var bytes: [UInt8] = []
        for place in stride(from: 0, to: digits.count, by: 2) {
            let pair = digits[place..<place + 2]
            guard let byte = UInt8(String(decoding: pair, as: UTF8.self), radix: 16),
                pair.first != UInt8(ascii: "+")
            else { return nil }
            bytes.append(byte)
        }
        return bytes
    }

    private mutating func readConditions() {
        for text in self.fields.all("where") {
            do throws(DeadLetterCondition.Fault) {
                self.filter.conditions.append(try DeadLetterCondition(text))
            } catch {
                self.faults.append("Payload: \(error.sentence)")
            }
        }
    }

    /// Reads ids and positions of letters.
    private mutating func readIDs() {
        for text in self.fields.all("id") {
            if let id = LetterID(text) {
                self.filter.ids.append(id)
            } else if let position = LetterPosition(text) {
                self.filter.positions.append(position)
            } else {
                self.fault("id", text, wanted: "a dead letter's whole id, or topic/partition/offset")
            }
        }
    }

    /// Reads a field that holds a time; adds a fault if it cannot be understood.
    private mutating func time(_ name: String, _ now: Int64) -> Int64? {
        guard let text = self.fields[name] else { return nil }
        let time = Self.time(text, now: now)
        if time == nil {
            self.fault(name, text, wanted: "2h, 30m, 7d, or a time such as 2026-01-31T09:30 (UTC)")
        }
        return time
    }

    /// Returns a time in milliseconds since 1970, from a time such as `2026-01-31T09:30` in UTC or a period
    /// back from now, such as `2h`; nil for any other text.
    static func time(_ text: String, now: Int64) -> Int64? {
        let units: [Character: Int64] = ["s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000]
        if let unit = text.last.flatMap({ units[$0] }), let count = Int64(text.dropLast()), count >= 0 {
            let (span, overflows) = count.multipliedReportingOverflow(by: unit)
            return overflows ? nil : max(0, now - span)
        }
        for rest in ["", "Z", ":00Z", "T00:00:00Z"] {
            if let time = RFC3339.milliseconds(text + rest) { return time }
        }
        return nil
    }

    /// Adds the sentence for a field that cannot be understood.
    private mutating func fault(_ name: String, _ text: String, wanted: String) {
        self.faults.append(
            "'\(SafeText.line(text, limit: 60))' is not understood as \(name): it takes \(wanted)."
        )
    }
}
