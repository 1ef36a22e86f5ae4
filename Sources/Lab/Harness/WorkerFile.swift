package import Terminal

/// The settings of an activation worker, and the files that they refer to.
package struct WorkerFile {
    /// The number of counted failures after which a record is dead-lettered.
    package static let attempts = 5

    /// The number of counted failures after which an answer that GDT does not document ends a record: the default of
    /// `gdt.configuration_attempts`, half of `attempts`.
    package static let configurationAttempts = attempts / 2

    package static let settingsName = "activation-worker.yaml"
    private static let signKeyName = "gdt-sign-key"
    private static let encryptKeyName = "gdt-encrypt-key"
    package static let upstreamKeysName = "upstream-keys.json"

    private let folder: TemporaryFolder
    package let signKey: String
    package let encryptKey: String

    /// Makes keys for this run, and writes them for the worker and for the upstream.
    package init(in folder: TemporaryFolder) throws(Complaint) {
        self.folder = folder
        self.signKey = String(UInt64.random(in: .min ... .max), radix: 36)
        self.encryptKey = String(UInt64.random(in: .min ... .max), radix: 36)
        try folder.write("\(self.signKey)\n", to: Self.signKeyName)
        try folder.write("\(self.encryptKey)\n", to: Self.encryptKeyName)
        let account = """
            [{"app_id":"\(DemoAccount.appID)","advertiser_id":"\(DemoAccount.advertiserID)",\
            "sign_key":"\(self.signKey)","encrypt_key":"\(self.encryptKey)"}]

            """
        try folder.write(account, to: Self.upstreamKeysName)
    }

    package var path: String { self.folder.file(Self.settingsName) }
    package var upstreamKeysPath: String { self.folder.file(Self.upstreamKeysName) }

    /// The settings that all workers of a run share. All waiting times are short, so that effects that take
    /// minutes in production can be watched.
    ///
    /// - Parameters:
    ///   - kafka: further lines of the section `kafka`.
    ///   - worker: further lines of the section `worker`.
    package static func common(brokers: String, kafka: [String] = [], worker: [String] = []) -> String {
        func indented(_ lines: [String]) -> String { lines.map { "  \($0)\n" }.joined() }
        return """
            kafka:
              brokers: \(brokers)
              fetch_wait: 10ms
            \(indented(kafka))\
            worker:
              attempts: \(Self.attempts)
              commit_interval: 200ms
            \(indented(worker))\
            retry:
              base: 200ms
              longest: 800ms
            breaker:
              first_pause: 500ms
              longest_pause: 1s
            http:
              connect_timeout: 1s
              timeout: 2s
            health:
              host: 127.0.0.1
              port: 0

            """
    }

    /// Writes the settings of an activation worker, with further lines as in `common`.
    ///
    /// - Parameters:
    ///   - apps: the apps that are configured. All have the same advertiser and the same keys.
    ///   - sections: the text of further sections.
    package func write(
        to name: String = settingsName,
        brokers: String,
        upstream: String,
        kafka: [String] = [],
        worker: [String] = [],
        apps: [UInt64] = [DemoAccount.appID],
        sections: String = ""
    ) throws(Complaint) {
        let accounts = apps.map { app in
            """
                - app_id: \(app)
                  advertiser_id: \(DemoAccount.advertiserID)
                  sign_key_file: \(Self.signKeyName)
                  encrypt_key_file: \(Self.encryptKeyName)

            """
        }
        let text = """
            \(Self.common(brokers: brokers, kafka: kafka, worker: worker))\(sections)\
            gdt:
              url: \(upstream)
              apps:
            \(accounts.joined())
            """
        try self.folder.write(text, to: name)
    }
}
