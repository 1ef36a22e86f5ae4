import Operations
import WireFormats
import WorkerKit

@testable import ActivationWorker
@testable import Operations
@testable import UpstreamHTTP

extension FuzzTarget {
    /// A worker's settings, from the text of the file to the settings of every part.
    static let settingsFile = FuzzTarget(
        "settings-file",
        longestInput: 2_048,
        words: SettingsClaims.words
    ) { input in
        guard let text = String(validating: input, as: UTF8.self) else { return }
        let file: SettingsFile
        do throws(SettingsFaults) {
            file = try SettingsFile(text: text, path: "worker.yaml")
        } catch {
            return try claim("what is wrong is said", !error.faults.isEmpty)
        }
        let reader = SettingsReader(file: file, overrides: [])
        let settings = WorkerSettings(reader, ActivationProgram.identity)
        _ = ActivationProgram.handler(reader, settings.engine)
        do throws(SettingsFaults) {
            try reader.finish()
        } catch {
            return try SettingsClaims.check(error, file)
        }
        try claim("settings without a fault make an HTTP client", settings.http.flaw == nil)
    }

    static let settingText = FuzzTarget(
        "setting-text",
        longestInput: 48,
        words: ["250ms", "7d", "12 h", "64MiB", "1 GB", "9223372036854775807", "kB", "true"]
    ) { input in
        let text = String(decoding: input, as: UTF8.self)
        if let duration = SettingText.duration(text) {
            try claim("time does not run backwards", duration >= .zero)
            let written = SettingText.text(of: duration)
            try claim("a duration is read as it was written", SettingText.duration(written) == duration)
        }
        if let bytes = SettingText.bytes(text) {
            try claim("a size is not negative", bytes >= 0)
            let written = SettingText.text(ofBytes: bytes)
            try claim("a size is read as it was written", SettingText.bytes(written) == bytes)
        }
    }

    /// The text that an operator gives as an upstream's address, up to the request that goes there.
    static let baseURL = FuzzTarget(
        "base-url",
        longestInput: 128,
        words: ["http://", "HTTPS://", "t.gdt.qq.com", "[::1]", ":8089", "/conv/", "@", "%2f"]
    ) { input in
        let text = String(decoding: input, as: UTF8.self)
        guard let url = try? BaseURL(text) else { return }
        try claim("a base is its own base", try BaseURL(url.text) == url)
        try claim("a base does not end with a slash", !url.text.hasSuffix("/"))
        guard SettingsReader.isURL(text, schemes: ["https", "http"]) else { return }
        let request = HTTPRequest(method: .get, url: url.text + "/conv/app/112233/conv?v=a%2Fb")
        try claim("what the settings take, the client takes", request.refusal == nil)
    }
}

private enum SettingsClaims {
    static let words = [
        "kafka:\n  brokers: 127.0.0.1:9092\n", "gdt:\n  apps:\n", "    - app_id: 1\n", "advertiser_id: 1",
        "sign_key: ",
        "encrypt_key: ", "worker:\n", "concurrency: ", "deadline: 1h", "retry:\n", "breaker:\n", "http:\n",
        "health:\n",
        "log:\n", "hold:\n", "&a ", "*a", "<<: ", "- ", "[", "{", "|\n", ">\n", "!!binary ", "canary-7301",
        "---\n", "...\n",
        "parameter_order: ", "properties:\n", "name: ", "value: ",
    ]

    /// Words of this in a value are looked for in what is said about it.
    private static let canary = "canary-7301"

    static func check(_ faults: SettingsFaults, _ file: SettingsFile) throws {
        try claim("what is wrong is said", !faults.faults.isEmpty)
        let lines = faults.faults.map(\.description)
        try claim("a fault is one line", lines.allSatisfy { !$0.contains { $0.isNewline } })
        // A name may be quoted, and whoever gives a setting the name of a secret has told it.
        guard !self.names(in: file.root).contains(where: { $0.contains(self.canary) }) else { return }
        try claim("no value is shown", !lines.contains { $0.contains(self.canary) })
    }

    /// The names of all entries, and those that stand as the value of an entry `name`, such as that of a property.
    private static func names(in node: SettingsNode) -> [String] {
        switch node.content {
        case .nothing, .scalar: return []
        case .list(let nodes): return nodes.flatMap(self.names)
        case .mapping(let entries):
            return entries.flatMap { entry -> [String] in
                guard case .scalar(let text) = entry.value.content, entry.name == "name" else {
                    return [entry.name] + self.names(in: entry.value)
                }
                return [entry.name, text]
            }
        }
    }
}
