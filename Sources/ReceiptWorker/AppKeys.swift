import Cryptography
import Operations
import Synchronization
import WireFormats

/// The secrets of the apps, as they are now: a file that changes changes them while the worker runs.
final class AppKeys: Sendable {
    private struct Keys {
        var sharedSecret: Secret?
        /// Counts the shared secrets of this process.
        var secretSerial = 0
        var key: ReceiptSettings.Key?
    }

    private let apps: Mutex<[String: Keys]>

    init(_ apps: [ReceiptSettings.App]) {
        let keys = apps.map { ($0.bundleID, Keys(sharedSecret: $0.sharedSecret, key: $0.key)) }
        self.apps = Mutex(Dictionary(keys) { first, _ in first })
    }

    /// The app's shared secret as of now, if it has one, and its number.
    func sharedSecret(of bundleID: String) -> (secret: Secret?, serial: Int) {
        self.apps.withLock { ($0[bundleID]?.sharedSecret, $0[bundleID]?.secretSerial ?? 0) }
    }

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

    /// What a file holds now takes the place of what it held.
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
