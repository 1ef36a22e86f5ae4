/// A settings file of the worker: a good one, unless a test says otherwise.
struct SettingsText {
    var text: String

    init(
        bundles: [String] = ["com.example.app"],
        route: String = "verifyreceipt",
        app: [String] = ["shared_secret: s3cret"],
        receipt: [String] = [],
        apple: [String] = []
    ) {
        var lines = ["kafka:", "  brokers: localhost:9092"]
        if !apple.isEmpty { lines += ["apple:"] + apple.map { "  \($0)" } }
        lines += ["receipt:"] + receipt.map { "  \($0)" } + ["  apps:"]
        for bundle in bundles {
            lines += ["    - bundle_id: \(bundle)", "      route: \(route)"] + app.map { "      \($0)" }
        }
        self.text = lines.joined(separator: "\n") + "\n"
    }

    /// The settings of an app that the App Store Server API needs.
    static let key =
        ["issuer_id: 57246542-96fe-1a63-e053-0824d011072a", "key_id: DCTESTKEY1", "key: |"]
        + Case.key.split(separator: "\n").map { "  \($0)" }
}
