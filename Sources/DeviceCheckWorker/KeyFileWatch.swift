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
    let files: [String: SecretFile]
    let tokens: ProviderTokens
    let logger: Logger
    var interval = Duration.seconds(1)

    func run() async throws {
        var seen: [String: Secret] = self.files.compactMapValues { try? $0.read() }
        var complaints: [String: String] = [:]
        while !Task.isShuttingDownGracefully, !Task.isCancelled {
            try? await cancelWhenGracefulShutdown { try await Task.sleep(for: self.interval) }
            for (team, file) in self.files.sorted(by: { $0.key < $1.key }) {
                self.look(at: file, of: team, &seen[team], &complaints[team])
            }
        }
    }

    private func look(at file: SecretFile, of team: String, _ seen: inout Secret?, _ complaint: inout String?)
    {
        do {
            let text = try file.read()
            guard text != seen else { return }
            let signer = try ES256Signer(pem: text.revealBytes())
            (seen, complaint) = (text, nil)
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
