import Cryptography
import Testing

@testable import WireFormats

/// `Vectors/es256_jwt.jsonl`, seen by whoever receives the tokens.
@Suite struct JWTVectorTests {
    struct Row: Decodable, Sendable, CustomTestStringConvertible {
        var name: String
        var public_key_pem: String
        var signing_input: String
        var jwt: String
        var expect: String

        var testDescription: String { self.name }
    }

    static let rows = VectorFile.rows(of: "es256_jwt", as: Row.self)

    @Test func hasAllVectors() {
        #expect(Self.rows.count == 11)
    }

    @Test(arguments: rows)
    func verifiesTheSignature(row: Row) throws {
        let key = try #require(PublicKey(pem: Array(row.public_key_pem.utf8)))
        let jws = try CompactJWS(Array(row.jwt.utf8))
        #expect(Array(jws.signed) == Array(row.signing_input.utf8))
        let signature = try #require(Base64URL.decode(jws.signature))
        // What Apple rejects for its claims is signed well.
        #expect(key.verifiesES256(signature, over: jws.signed.span) == (row.expect != "invalid"))
    }
}
