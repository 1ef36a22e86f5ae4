import Cryptography
import Synchronization

/// Intermediates that led to an anchor once, by the text they came in, so that they need not be parsed again: Apple
/// has two of them, and parsing one takes longer than an ES256 signature. Every use of one is still verified.
final class IntermediateStore: Sendable {
    /// More than Apple has; when there are as many, no more are kept.
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
