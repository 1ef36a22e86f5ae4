internal import Foundation

/// The JSON Web Token (JWT) of a request, decoded by the receiver and not verified yet.
struct BearerToken {
    private struct Header: Decodable {
        var alg: String
        var kid: String
    }

    private struct Claims: Decodable {
        var iss: String
        var iat: Int64
    }

    let keyID: String
    let issuer: String
    /// The claim `iat`: seconds since 1970.
    let issuedAt: Int64
    let signature: [UInt8]
    /// The bytes that the signature covers: header and claims in base64url, with the dot between them.
    let signedBytes: [UInt8]

    /// Decodes an Authorization header.
    ///
    /// - Returns: nil unless the token has three parts in base64url, the fields that Apple requires, and the
    ///   algorithm ES256.
    init?(authorization: String) {
        guard authorization.hasPrefix("Bearer ") else { return nil }
        let token = authorization.dropFirst("Bearer ".count)
        let parts = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, let header = Self.decode(Header.self, parts[0]), header.alg == "ES256",
            let claims = Self.decode(Claims.self, parts[1]), let signature = Self.bytes(parts[2])
        else { return nil }
        self.keyID = header.kid
        self.issuer = claims.iss
        self.issuedAt = claims.iat
        self.signature = signature
        self.signedBytes = Array("\(parts[0]).\(parts[1])".utf8)
    }

    private static func decode<Value: Decodable>(_ type: Value.Type, _ text: String) -> Value? {
        self.bytes(text).flatMap { try? JSONDecoder().decode(Value.self, from: Data($0)) }
    }

    private static func bytes(_ text: String) -> [UInt8]? {
        guard !text.contains(where: { "+/=".contains($0) }) else { return nil }
        let standard = text.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }
        let padding = String(repeating: "=", count: (4 - standard.count % 4) % 4)
        return Data(base64Encoded: String(standard) + padding).map(Array.init)
    }
}
