import Cryptography
import Operations
import Synchronization
import WireFormats

/// The present secrets of the apps. When a secret file changes, the secrets change while the worker runs. The
/// object is safe to use from any thread.
final class AppKeys: Sendable {
    private struct Keys {
        var sharedSecret: Secret?
        /// How often the shared secret was replaced since the process started.
        var secretSerial = 0
        var key: ReceiptSettings.Key?
    }

    private let apps: Mutex<[String: Keys]>

    init(_ apps: [ReceiptSettings.App]) {
        let keys = apps.map { ($0.bundleID, Keys(sharedSecret: $0.sharedSecret, key: $0.key)) }
        self.apps = Mutex(Dictionary(keys) { first, _ in first })
    }

    /// Returns the present shared secret of an app, or nil if it has none, and its serial number. The serial
    /// number tells a later caller whether the secret was replaced.
    func sharedSecret(of bundleID: String) -> (secret: Secret?, serial: Int) {
        self.apps.withLock { ($0[bundleID]?.sharedSecret, $0[bundleID]?.secretSerial ?? 0) }
    }

    /// Returns the present key of an app for the App Store Server API; nil if it has none.
    func key(of bundleID: String) -> ReceiptSettings.Key? {
        self.apps.withLock { $0[bundleID]?.key }
    }

    func replaceSharedSecret(of bundleID: String, by secret: Secret) {
        self.apps.withLock {
            $0[bundleID]?.sharedSecret = secret
            $0[bundleID]?.secretSerial += 1
        }
    }

    func replaceSigner(of bundleID: String, by signer: ES256Signer) {
        self.apps.withLock { $0[bundleID]?.key?.signer = signer }
    }

    func replaceKeyID(of bundleID: String, by keyID: String) {
        self.apps.withLock { $0[bundleID]?.key?.keyID = keyID }
    }

    /// Replaces a secret by the new content of its file.
    ///
    /// - Throws: an error if the content is not a valid key or key id; the old secret then stays in use.
    func replace(_ content: ReceiptSettings.WatchedFile.Content, of bundleID: String, by secret: Secret)
        throws
    {
        switch content {
        case .sharedSecret: self.replaceSharedSecret(of: bundleID, by: secret)
        case .key: self.replaceSigner(of: bundleID, by: try ES256Signer(pem: secret.revealBytes()))
        case .keyID: self.replaceKeyID(of: bundleID, by: try AppleID.checked(secret.reveal()))
        }
    }
}
