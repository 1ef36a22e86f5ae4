import WebPages
import WireFormats

/// The filter of the list. A message passes if it fulfils every field that is set. Upper and lower case do not
/// differ.
struct MessageFilter: Hashable, Sendable {
    /// The names of the fields in a query.
    static let names = ["app", "provider", "campaign", "text", "from", "to", "state", "reports"]
    /// The longest text of a field, in characters; the rest is cut off.
    static let longest = 200

    var app = ""
    var provider = ""
    var campaign = ""
    /// The text that must occur in the app, the provider, the campaign or the id of the message.
    var text = ""
    /// The first instant of sending that passes, in milliseconds since 1970.
    var sentFrom: Int64?
    /// The instant of sending before which a message passes, in milliseconds since 1970.
    var sentBefore: Int64?
    /// Whether the message is complete; nil if that does not matter.
    var isComplete: Bool?
    /// The completeness of the sender's reports; nil if that does not matter.
    var reports: SendingReports?
    /// A sentence for each field that cannot be read. Such a field filters nothing.
    private(set) var faults: [String] = []

    private static let millisecondsOfDay: Int64 = 86_400_000

    init(_ query: FormFields) {
        self.app = Self.value(query["app"])
        self.provider = Self.value(query["provider"])
        self.campaign = Self.value(query["campaign"])
        self.text = Self.value(query["text"])
        self.sentFrom = self.day("from", query)
        self.sentBefore = self.day("to", query).map { $0 + Self.millisecondsOfDay }
        switch query["state"] {
        case nil: break
        case "complete": self.isComplete = true
        case "counting": self.isComplete = false
        default: self.faults.append("The field state is neither \"complete\" nor \"counting\".")
        }
        if let word = query["reports"] {
            self.reports = SendingReports(exactly: word)
            if self.reports == nil {
                self.faults.append("The field reports is none of \"known\", \"missing\" and \"behind\".")
            }
        }
    }

    private static func value(_ text: String?) -> String {
        String((text ?? "").prefix(self.longest)).lowercased()
    }

    /// Reads the first instant of a day; nil if the field is missing or is no day.
    private mutating func day(_ name: String, _ query: FormFields) -> Int64? {
        guard let text = query[name] else { return nil }
        guard text.utf8.count == 10, let day = RFC3339.milliseconds(text + "T00:00:00Z") else {
            self.faults.append("The field \(name) is no day of the form 2026-01-31.")
            return nil
        }
        return day
    }

    var isEmpty: Bool {
        [self.app, self.provider, self.campaign, self.text].allSatisfy(\.isEmpty)
            && self.sentFrom == nil && self.sentBefore == nil && self.isComplete == nil && self.reports == nil
    }

    func matches(_ statistics: PushStatisticsRecord) -> Bool {
        guard self.isComplete.map({ $0 == statistics.isComplete }) ?? true,
            self.reports.map({ $0 == statistics.sendingReports }) ?? true,
            self.wasSent(statistics.sentMS)
        else { return false }
        return Self.holds(statistics.appBundle, self.app) && Self.holds(statistics.provider, self.provider)
            && Self.holds(statistics.campaignID, self.campaign)
            && (self.text.isEmpty
                || [
                    statistics.messageID, statistics.appBundle, statistics.provider, statistics.campaignID,
                ].contains { Self.holds($0, self.text) })
    }

    /// Returns whether a time of sending lies in the range. An unknown time lies in no range.
    private func wasSent(_ time: Int64?) -> Bool {
        guard self.sentFrom != nil || self.sentBefore != nil else { return true }
        guard let time else { return false }
        return self.sentFrom.map { $0 <= time } ?? true && self.sentBefore.map { time < $0 } ?? true
    }

    /// - Parameter part: in lower case.
    private static func holds(_ text: String, _ part: String) -> Bool {
        if part.isEmpty { return true }
        // A text of another form in lower case is rare, and would be made for each message of the board.
        return Self.holdsASCII(text, part) ?? text.lowercased().contains(part)
    }

    /// Returns the same for two texts of ASCII characters; nil if one has others.
    private static func holdsASCII(_ text: String, _ part: String) -> Bool? {
        var (text, part) = (text.utf8Span, part.utf8Span)
        guard text.checkForASCII(), part.checkForASCII() else { return nil }
        guard text.count >= part.count else { return false }
        let (bytes, wanted) = (text.span, part.span)
        for start in 0...bytes.count - wanted.count {
            var length = 0
            while length < wanted.count, Self.lowercased(bytes[start + length]) == wanted[length] {
                length += 1
            }
            if length == wanted.count { return true }
        }
        return false
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}
