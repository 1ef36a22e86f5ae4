import Cryptography
import Testing

@testable import WireFormats

/// A row of `Vectors/jws_x5c.jsonl`.
struct JWSVector: Decodable, Sendable, CustomTestStringConvertible {
    struct Payload: Decodable, Sendable {
        var transactionId: String
        var productId: String
        var type: String
        var signedDate: Double
        var purchaseDate: Int64
        var expiresDate: Int64?
        var price: Int64?
    }

    var name: String
    var trusted_root_der_b64: String
    var expected_bundle_id: String
    var expected_environment: String
    var jws: String
    var payload: Payload
    var expect: String
    var lenient: Bool?

    var testDescription: String { self.name }

    static let all = VectorFile.rows(of: "jws_x5c", as: JWSVector.self)

    static func named(_ name: String) throws -> JWSVector {
        try #require(self.all.first { $0.name == name })
    }

    /// Some day after all of them were signed.
    static let now: Int64 = 1_760_000_000_000

    var anchors: TrustAnchors {
        get throws {
            let der = try #require(Base64.decode(self.trusted_root_der_b64.utf8))
            return TrustAnchors([try #require(Certificate(der: der))])
        }
    }

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
