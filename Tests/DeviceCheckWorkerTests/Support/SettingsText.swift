/// A settings file of the worker: a good one, unless a test says otherwise.
struct SettingsText {
    var text: String

    init(_ text: String) { self.text = text }

    init(
        teams: [String] = ["TEAMID1234"],
        key: [String] = ["key: |"] + Case.key.split(separator: "\n").map { "  \($0)" },
        devicecheck: [String] = [],
        more: [String] = []
    ) {
        var lines = ["kafka:", "  brokers: localhost:9092"] + more + ["devicecheck:"]
        lines += devicecheck.map { "  \($0)" } + ["  teams:"]
        for team in teams {
            lines += ["    - team_id: \(team)", "      key_id: DCTESTKEY1"] + key.map { "      \($0)" }
        }
        self.text = lines.joined(separator: "\n") + "\n"
    }
}
