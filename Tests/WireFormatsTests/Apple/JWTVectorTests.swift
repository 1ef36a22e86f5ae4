import Cryptography
import TestMaterial
import Testing

@testable import WireFormats

/// `es256_jwt.jsonl`, seen by whoever receives the tokens.
@Suite struct JWTVectorTests {
    @Test func hasAllVectors() {
        #expect(ES256Vector.all.count == 11)
    }

    @Test(arguments: ES256Vector.all)
    func verifiesTheSignature(row: ES256Vector) throws {
        let key = try #require(PublicKey(pem: Array(row.public_key_pem.utf8)))
        let jws = try CompactJWS(Array(row.jwt.utf8))
        #expect(Array(jws.signed) == Array(row.signing_input.utf8))
        let signature = try #require(Base64URL.decode(jws.signature))
        // A token that Apple rejects for its claims is signed well.
        #expect(key.verifiesES256(signature, over: jws.signed.span) == (row.expect != "invalid"))
    }
}
