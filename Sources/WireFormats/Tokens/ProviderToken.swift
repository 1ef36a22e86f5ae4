package import Cryptography

/// The JWT that Apple's server interfaces take for a proof of who calls, signed with a key that Apple issued.
package struct ProviderToken: Hashable, Sendable {
    /// The key's id at Apple, 10 characters.
    package var keyID: String
    /// Who calls: the Team ID for DeviceCheck, the issuer id for the App Store Server API.
    package var issuer: String
    /// Seconds since 1970.
    package var issuedAt: Int64
    /// Seconds since 1970. DeviceCheck needs none.
    package var expiresAt: Int64?
    package var audience: String?
    package var bundleID: String?

    /// Apple's clock may be behind ours, and refuses a token from the future.
    package static let backdating = Duration.seconds(30)

    package init(
        keyID: String,
        issuer: String,
        issuedAt: Int64,
        expiresAt: Int64? = nil,
        audience: String? = nil,
        bundleID: String? = nil
    ) {
        self.keyID = keyID
        self.issuer = issuer
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
        self.audience = audience
        self.bundleID = bundleID
    }

    /// The token as it goes into an `Authorization` header, after `Bearer `.
    package func signed(with signer: ES256Signer) throws(ES256Signer.SigningFailure) -> String {
        let input = self.signingInput
        let token = input + [UInt8(ascii: ".")] + Base64URL.encode(try signer(input))
        return String(decoding: token, as: UTF8.self)
    }

    /// Header and claims, encoded and joined: what is signed.
    package var signingInput: [UInt8] {
        Base64URL.encode(self.header) + [UInt8(ascii: ".")] + Base64URL.encode(self.claims)
    }

    private var header: [UInt8] {
        var json = JSONWriter(reserving: 64)
        json.object { json in
            json.string("alg", "ES256")
            json.string("kid", self.keyID)
            json.string("typ", "JWT")
        }
        return json.text
    }

    private var claims: [UInt8] {
        var json = JSONWriter(reserving: 192)
        json.object { json in
            json.string("iss", self.issuer)
            json.number("iat", self.issuedAt)
            if let expiresAt { json.number("exp", expiresAt) }
            json.optionalString("aud", self.audience)
            json.optionalString("bid", self.bundleID)
        }
        return json.text
    }
}
