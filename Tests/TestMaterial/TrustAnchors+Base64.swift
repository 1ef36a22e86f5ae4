package import Cryptography
import Foundation

extension TrustAnchors {
    /// The text is no certificate in base64.
    struct NoCertificate: Error {}

    /// Anchors that are this certificate alone, which is DER in base64.
    package convenience init(base64 text: String) throws {
        guard let der = Data(base64Encoded: text), let certificate = Certificate(der: Array(der)) else {
            throw NoCertificate()
        }
        self.init([certificate])
    }
}
