import Cryptography
import TestMaterial

@testable import WireFormats

extension JWSVector {
    /// Some day after all of them were signed.
    static let now: Int64 = 1_760_000_000_000

    var anchors: TrustAnchors { get throws { try TrustAnchors(base64: self.trusted_root_der_b64) } }

    func verifier(cachesLeafKeys: Bool = true) throws -> SignedDataVerifier {
        SignedDataVerifier(anchors: try self.anchors, cachesLeafKeys: cachesLeafKeys)
    }

    /// `OK`, or the word for what was wrong.
    func status(_ verifier: SignedDataVerifier, _ jws: [UInt8]? = nil) -> String {
        do throws(SignedDataFault) {
            _ = try verifier.transaction(
                jws ?? Array(self.jws.utf8),
                bundleID: self.expected_bundle_id,
                environment: StoreEnvironment(self.expected_environment),
                now: Self.now
            )
            return "OK"
        } catch {
            return error.status.rawValue
        }
    }
}
