import WebPages
import WireFormats

/// The filter of the list. A message passes if it contains all of these texts; upper and lower case do not
/// differ.
struct MessageFilter: Hashable, Sendable {
    /// The names of the fields in a query.
    static let names = ["app", "provider", "campaign", "text"]
    /// The longest text of a field, in characters; the rest is cut off.
    private static let longest = 200

    var app = ""
    var provider = ""
    var campaign = ""
    /// The text that must occur in the app, the provider, the campaign or the id of the message.
    var text = ""

    init(_ query: FormFields) {
        self.app = Self.value(query["app"])
        self.provider = Self.value(query["provider"])
        self.campaign = Self.value(query["campaign"])
        self.text = Self.value(query["text"])
    }

    private static func value(_ text: String?) -> String {
        String((text ?? "").prefix(self.longest)).lowercased()
    }

    var isEmpty: Bool { [self.app, self.provider, self.campaign, self.text].allSatisfy(\.isEmpty) }

    func matches(_ statistics: PushStatisticsRecord) -> Bool {
        Self.holds(statistics.appBundle, self.app) && Self.holds(statistics.provider, self.provider)
            && Self.holds(statistics.campaignID, self.campaign)
            && (self.text.isEmpty
                || [
                    statistics.messageID, statistics.appBundle, statistics.provider, statistics.campaignID,
                ].contains { Self.holds($0, self.text) })
    }

    private static func holds(_ text: String, _ part: String) -> Bool {
        part.isEmpty || text.lowercased().contains(part)
    }
}
