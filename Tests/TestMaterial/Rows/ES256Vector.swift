/// A row of `es256_jwt.jsonl`. The keys are throw-away test material.
package struct ES256Vector: VectorRow {
    package struct Claims: Decodable, Sendable {
        package var iss: String
        /// Nil where the row has a string.
        package var iat: Int64?
        package var exp: Int64?
        package var aud: String?
        package var bid: String?

        private enum CodingKeys: CodingKey { case iss, iat, exp, aud, bid }

        package init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            self.iss = try container.decode(String.self, forKey: .iss)
            self.iat = try? container.decode(Int64.self, forKey: .iat)
            self.exp = try container.decodeIfPresent(Int64.self, forKey: .exp)
            self.aud = try container.decodeIfPresent(String.self, forKey: .aud)
            self.bid = try container.decodeIfPresent(String.self, forKey: .bid)
        }
    }

    package struct Header: Decodable, Sendable {
        package var kid: String
        package var typ: String?
    }

    package var name: String
    package var kid: String
    package var private_key_pem: String
    package var public_key_pem: String
    package var header: Header
    package var claims: Claims
    package var signing_input: String
    package var jwt: String
    package var expect: String

    package static let all = VectorFile.rows("es256_jwt", as: ES256Vector.self)
}
