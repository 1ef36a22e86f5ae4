import WebPages
import WireFormats

/// Which messages somebody wants to see: those that hold all these texts, in small letters or capitals.
struct MessageFilter: Hashable, Sendable {
    static let names = ["app", "provider", "campaign", "text"]
    private static let longest = 200

    var app = ""
    var provider = ""
    var campaign = ""
    /// In any of the three, or in the message's id.
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
