import Cryptography
import TestMaterial
import Testing

@testable import WireFormats

extension ReceiptVector {
    static let now: Int64 = 1_760_000_000_000

    var bytes: [UInt8] { get throws { try #require(Base64.decode(self.receipt_b64.utf8)) } }

    func verifier(cachesLeafKeys: Bool = true) throws -> AppReceiptVerifier {
        let anchors = try TrustAnchors(base64: self.trusted_root_der_b64)
        return AppReceiptVerifier(anchors: anchors, cachesLeafKeys: cachesLeafKeys)
    }

    static func status(_ bytes: [UInt8], _ verifier: AppReceiptVerifier) -> String {
        do throws(AppReceiptFault) {
            _ = try verifier.receipt(bytes, now: self.now)
            return "OK"
        } catch {
            return error.kind.rawValue
        }
    }
}
