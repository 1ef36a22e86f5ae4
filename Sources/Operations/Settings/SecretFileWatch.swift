package import Logging
import ServiceLifecycle

/// Reads the files with secrets again and again, and puts one that has changed to use. One that cannot be read or used
/// changes nothing: the log says so, once for each such file.
///
/// It looks once a second instead of waiting for the kernel to tell: a secret that is mounted into a container changes
/// by a link above its folder being swapped, which no watch on the file sees.
package struct SecretFileWatch: Service {
    package struct File: Sendable {
        package var path: String
        /// Whose it is, for the log.
        package var owner: [String: String]
        /// What was in it when the settings were read.
        package var known: Secret
        /// Puts what is in it now to use. What it throws is in the log, so it must not quote the secret.
        package var use: @Sendable (Secret) throws -> Void
        private(set) var complaint: String?

        package init(
            path: String,
            owner: [String: String],
            known: Secret,
            use: @escaping @Sendable (Secret) throws -> Void
        ) {
            self.path = path
            self.owner = owner
            self.known = known
            self.use = use
        }

        private var ownerInLog: Logger.Metadata { self.owner.mapValues { "\($0)" } }

        /// An empty file is one that is being written.
        private struct Empty: Error, CustomStringConvertible {
            var description: String { "it is empty" }
        }

        fileprivate mutating func look(_ logger: Logger) {
            do {
                let found = try SecretFile(path: self.path).read()
                guard found != self.known else { return }
                guard !found.isEmpty else { throw Empty() }
                try self.use(found)
                (self.known, self.complaint) = (found, nil)
                logger.notice("secret file changed", metadata: self.ownerInLog)
            } catch {
                guard self.complaint != "\(error)" else { return }
                self.complaint = "\(error)"
                logger.error(
                    "secret file cannot be used; the secret before it stays",
                    metadata: self.ownerInLog.merging(["error": "\(error)"]) { $1 }
                )
            }
        }
    }

    package let files: [File]
    package let logger: Logger
    package var interval: Duration

    package init(_ files: [File], _ logger: Logger, interval: Duration = .seconds(1)) {
        self.files = files
        self.logger = logger
        self.interval = interval
    }

    package func run() async throws {
        var files = self.files
        while !Task.isShuttingDownGracefully, !Task.isCancelled {
            // Being woken early is the only way that this fails, and the loop sees why.
            try? await cancelWhenGracefulShutdown { try await Task.sleep(for: self.interval) }
            for index in files.indices { files[index].look(self.logger) }
        }
    }
}
