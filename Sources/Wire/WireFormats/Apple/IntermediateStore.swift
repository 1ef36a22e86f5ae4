import Cryptography
import Synchronization

/// Intermediate certificates that have led to an anchor before, by their text in the JWS, so that they need
/// not be parsed again. Apple has two of them, and parsing one takes longer than verifying an ES256
/// signature. The chain through a stored certificate is still verified at every use.
///
/// Safe to use from any thread.
final class IntermediateStore: Sendable {
    /// The most certificates that are kept, which is more than Apple has. A full store takes no more.
    static let limit = 8

    private let certificates = Mutex<[String: Certificate]>([:])

    subscript(_ text: String) -> Certificate? {
        self.certificates.withLock { $0[text] }
    }

    func keep(_ certificate: Certificate, under text: String) {
        self.certificates.withLock { certificates in
            guard certificates.count < Self.limit else { return }
            certificates[text] = certificate
        }
    }
}
