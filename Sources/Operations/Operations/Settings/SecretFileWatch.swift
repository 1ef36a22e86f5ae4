package import Logging
package import ServiceLifecycle

/// Reads files with secrets again and again, and applies a secret that has changed.
///
/// A file that cannot be read or applied changes nothing. Its error is logged once, and again only if it
/// differs or a new secret was applied in between.
///
/// The files are read once a second, without file system notifications. A secret that is mounted into a
/// container changes when a link above its folder is replaced, and no watch on the file notices that.
package struct SecretFileWatch: Service {
    /// A file with a secret, and the code that applies the secret.
    package struct File: Sendable {
        /// The path of the file.
        package var path: String
        /// Names the owner of the secret in log lines, as metadata.
        package var owner: [String: String]
        /// The secret that is in use, at first the one that was read with the settings.
        package var known: Secret
        /// Applies a new secret. The log shows the error that it throws, so the error must not quote the
        /// secret.
        package var use: @Sendable (Secret) throws -> Void
        /// The error that was logged last, since the secret was last applied.
        private(set) var complaint: String?

        /// Names a file and the code that applies its secret.
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

        /// The file is empty, which means that it is just being written.
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

    /// The files that are read.
    package let files: [File]
    /// The logger for changes and errors.
    package let logger: Logger
    /// The time between two readings.
    package var interval: Duration

    /// Prepares a watch, which begins with `run()`.
    package init(_ files: [File], _ logger: Logger, interval: Duration = .seconds(1)) {
        self.files = files
        self.logger = logger
        self.interval = interval
    }

    /// Returns the watch as a list of services, which is empty where there is no file.
    package static func services(_ files: [File], _ logger: Logger) -> [any Service] {
        files.isEmpty ? [] : [Self(files, logger)]
    }

    /// Watches the files until the service group shuts down or the task is cancelled.
    package func run() async throws {
        var files = self.files
        while !Task.isShuttingDownGracefully, !Task.isCancelled {
            // Sleeping fails only when it is ended early, and the condition of the loop finds the reason.
            try? await cancelWhenGracefulShutdown { try await Task.sleep(for: self.interval) }
            for index in files.indices { files[index].look(self.logger) }
        }
    }
}
