import Cryptography
import Foundation
import TestMaterial
import Testing
import UpstreamSimulator

@testable import WireFormats

@Suite struct ProviderTokenTests {
    @Test func readsAllVectors() { #expect(ES256Vector.all.count == 11) }

    /// The given token is judged by the upstream's verifier, so that the two agree on what a signature is.
    @Test(arguments: ES256Vector.all)
    func verifiesTheTokenOfTheVector(vector: ES256Vector) throws {
        let verifier = try #require(ES256Verifier(publicKeyPEM: vector.public_key_pem))
        let parts = vector.jwt.split(separator: ".", omittingEmptySubsequences: false)
        try #require(parts.count == 3)
        let signature = try #require(Self.bytes(ofBase64URL: String(parts[2])))
        let input = Array("\(parts[0]).\(parts[1])".utf8)
        #expect(verifier.accepts(signature, of: input) == (vector.expect != "invalid"))
    }

    @Test(arguments: ES256Vector.all)
    func signsWhatTheVectorSigns(vector: ES256Vector) throws {
        let signer = try ES256Signer(pem: Array(vector.private_key_pem.utf8))
        let verifier = try #require(ES256Verifier(publicKeyPEM: vector.public_key_pem))
        let signature = try signer(Array(vector.signing_input.utf8))
        #expect(signature.count == 64)
        #expect(verifier.accepts(signature, of: Array(vector.signing_input.utf8)))
        #expect(!verifier.accepts(signature, of: Array(vector.signing_input.utf8) + [0]))
    }

    /// Header and claims have the vector's spelling, so their encoding is compared byte for byte.
    @Test(arguments: ES256Vector.all.filter { $0.header.typ != nil && $0.claims.iat != nil })
    func writesHeaderAndClaimsAsTheVectorDoes(vector: ES256Vector) throws {
        let token = ProviderToken(
            keyID: vector.kid,
            issuer: vector.claims.iss,
            issuedAt: try #require(vector.claims.iat),
            expiresAt: vector.claims.exp,
            audience: vector.claims.aud,
            bundleID: vector.claims.bid
        )
        #expect(String(decoding: token.signingInput, as: UTF8.self) == vector.signing_input)
        let jwt = try token.signed(with: ES256Signer(pem: Array(vector.private_key_pem.utf8)))
        #expect(jwt.hasPrefix(vector.signing_input + "."))
        #expect(jwt.utf8.count == vector.signing_input.utf8.count + 1 + 86)
        #expect(!jwt.contains { "+/=".contains($0) })
    }

    private static func bytes(ofBase64URL text: String) -> [UInt8]? {
        let standard = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        let padded = standard + String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4)
        return Data(base64Encoded: padded).map(Array.init)
    }
}
