package import Cryptography

/// The JWT with which a caller authenticates to Apple's server interfaces, signed with a key that Apple
/// issued.
package struct ProviderToken: Hashable, Sendable {
    /// The key's id at Apple, 10 characters.
    package var keyID: String
    /// The caller: the Team ID for DeviceCheck, the issuer id for the App Store Server API.
    package var issuer: String
    /// The time of issue, in seconds since 1970.
    package var issuedAt: Int64
    /// The end of validity, in seconds since 1970; nil for DeviceCheck, which needs none.
    package var expiresAt: Int64?
    /// The claim `aud`; only the App Store Server API needs one.
    package var audience: String?
    /// The app's bundle id, the claim `bid`; only the App Store Server API needs one.
    package var bundleID: String?

    /// How far the time of issue is set back: Apple refuses a token from the future, and Apple's clock may be
    /// behind ours.
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

    /// Returns the signed token as it stands in an `Authorization` header after `Bearer `.
    package func signed(with signer: ES256Signer) throws(ES256Signer.SigningFailure) -> String {
        let input = self.signingInput
        let token = input + [UInt8(ascii: ".")] + Base64URL.encode(try signer(input))
        return String(decoding: token, as: UTF8.self)
    }

    /// The signed part of the token: header and claims, each in base64url, joined by a dot.
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
