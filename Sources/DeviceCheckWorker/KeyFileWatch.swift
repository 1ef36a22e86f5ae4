import Cryptography
import Logging
import Operations
import ServiceLifecycle

/// Reads the key files again and again, and puts a key that has changed to use. One that cannot be read or is no key
/// changes nothing: the log says so, once for each such file.
///
/// It looks once a second instead of waiting for the kernel to tell: a secret that is mounted into a container changes
/// by a link above its folder being swapped, which no watch on the file sees.
struct KeyFileWatch: Service {
    /// By team, as they were when the settings were read.
    let files: [String: DeviceCheckSettings.KeyFile]
    let tokens: ProviderTokens
    let logger: Logger
    var interval = Duration.seconds(1)

    func run() async throws {
        var files = self.files
        var complaints: [String: String] = [:]
        while !Task.isShuttingDownGracefully, !Task.isCancelled {
            // Being woken early is the only way that this fails, and the loop sees why.
            try? await cancelWhenGracefulShutdown { try await Task.sleep(for: self.interval) }
            for team in files.keys.sorted() { self.look(at: &files[team], of: team, &complaints[team]) }
        }
    }

    private func look(
        at file: inout DeviceCheckSettings.KeyFile?,
        of team: String,
        _ complaint: inout String?
    ) {
        guard let known = file else { return }
        do {
            let text = try SecretFile(path: known.path).read().revealBytes()
            let found = DeviceCheckSettings.KeyFile(path: known.path, text: text)
            guard found != known else { return }
            let signer = try ES256Signer(pem: text)
            (file, complaint) = (found, nil)
            self.tokens.replaceKey(of: team, by: signer)
            self.logger.notice("key file changed", metadata: ["team": "\(team)"])
        } catch {
            guard complaint != "\(error)" else { return }
            complaint = "\(error)"
            self.logger.error(
                "key file cannot be used; the key before it stays",
                metadata: ["team": "\(team)", "error": "\(error)"]
            )
        }
    }
}
