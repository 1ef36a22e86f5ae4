/// A settings file of the worker: a good one, unless a test says otherwise.
struct SettingsText {
    struct App {
        var appID: UInt64 = 112_233
        var advertiserID: UInt64 = 10_000
        var signKey = "test_sign_key"
        var encryptKey = "test_encrypt_key"
    }

    var text: String

    init(_ text: String) { self.text = text }

    init(apps: [App] = [App()], gdt: [String] = [], more: [String] = []) {
        var lines = ["kafka:", "  brokers: localhost:9092"] + more + ["gdt:"] + gdt.map { "  \($0)" }
        lines.append("  apps:")
        for app in apps {
            lines.append("    - app_id: \(app.appID)")
            lines.append("      advertiser_id: \(app.advertiserID)")
            lines.append("      sign_key: '\(app.signKey)'")
            lines.append("      encrypt_key: '\(app.encryptKey)'")
        }
        self.text = lines.joined(separator: "\n") + "\n"
    }
}
