import Cryptography
import Logging
import Operations
import ServiceLifecycle

/// Reads the files with secrets again and again, and puts one that has changed to use. One that cannot be read or is no
/// key changes nothing: the log says so, once for each such file.
///
/// It looks once a second instead of waiting for the kernel to tell: a secret that is mounted into a container changes
/// by a link above its folder being swapped, which no watch on the file sees.
struct SecretFileWatch: Service {
    struct File {
        var bundleID: String
        var known: ReceiptSettings.WatchedFile
        var complaint: String?
    }

    /// As they were when the settings were read.
    let files: [File]
    let keys: AppKeys
    let logger: Logger
    var interval = Duration.seconds(1)

    init(_ apps: [ReceiptSettings.App], _ keys: AppKeys, _ logger: Logger) {
        self.files = apps.flatMap { app in app.files.map { File(bundleID: app.bundleID, known: $0) } }
        self.keys = keys
        self.logger = logger
    }

    func run() async throws {
        var files = self.files
        while !Task.isShuttingDownGracefully, !Task.isCancelled {
            // Being woken early is the only way that this fails, and the loop sees why.
            try? await cancelWhenGracefulShutdown { try await Task.sleep(for: self.interval) }
            for index in files.indices { self.look(at: &files[index]) }
        }
    }

    private func look(at file: inout File) {
        do {
            let secret = try SecretFile(path: file.known.path).read()
            let found = ReceiptSettings.WatchedFile(
                file.known.content,
                path: file.known.path,
                text: secret.revealBytes()
            )
            guard found != file.known else { return }
            try self.use(secret, from: file)
            (file.known, file.complaint) = (found, nil)
            self.logger.notice("secret file changed", metadata: ["app": "\(file.bundleID)"])
        } catch {
            guard file.complaint != "\(error)" else { return }
            file.complaint = "\(error)"
            self.logger.error(
                "secret file cannot be used; the secret before it stays",
                metadata: ["app": "\(file.bundleID)", "error": "\(error)"]
            )
        }
    }

    /// An empty file is one that is being written.
    private struct Empty: Error, CustomStringConvertible {
        var description: String { "it is empty" }
    }

    private func use(_ secret: Secret, from file: File) throws {
        guard !secret.isEmpty else { throw Empty() }
        switch file.known.content {
        case .sharedSecret: self.keys.replaceSharedSecret(of: file.bundleID, by: secret)
        case .key:
            self.keys.replaceSigner(of: file.bundleID, by: try ES256Signer(pem: secret.revealBytes()))
        }
    }
}
