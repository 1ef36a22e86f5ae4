import Synchronization

/// A secret of the settings. Where it stands in a file, the file is read again when it changes, and whoever holds the
/// secret sees its new value at once.
package final class WatchedSecret: Sendable {
    private let secret: Mutex<Secret>
    private let path: String?

    /// Makes a secret.
    ///
    /// - Parameter path: the file from which it was read; nil if it does not change.
    package init(_ secret: Secret, path: String? = nil) {
        self.secret = Mutex(secret)
        self.path = path
    }

    /// The present value. It is used for one request or check, and not kept.
    package var current: Secret { self.secret.withLock { $0 } }

    /// Returns the file for `SecretFileWatch`; nil if the secret stands in no file.
    ///
    /// - Parameters:
    ///   - owner: names the secret in log lines.
    ///   - check: throws an error that does not quote the secret if the new value cannot be used.
    package func file(
        of owner: [String: String],
        unless check: @escaping @Sendable (Secret) throws -> Void = { _ in }
    ) -> SecretFileWatch.File? {
        guard let path = self.path else { return nil }
        return SecretFileWatch.File(path: path, owner: owner, known: self.current) { [self] found in
            try check(found)
            self.secret.withLock { $0 = found }
        }
    }
}

extension SettingsReader {
    /// Reads a secret that may be absent, and that changes with its file; nil if it is absent.
    package func optionalWatchedSecret(_ key: String, help: String) -> WatchedSecret? {
        self.optionalSecret(key, help: help).map { WatchedSecret($0, path: self.path(ofSecret: key)) }
    }
}
