import Foundation
import Testing

/// A row of `Vectors/es256_jwt.jsonl`. The keys are throw-away test material.
struct ES256Vector: Decodable, Sendable, CustomTestStringConvertible {
    struct Claims: Decodable, Sendable {
        var iss: String
        /// Nil where the row has a string.
        var iat: Int64?
        var exp: Int64?
        var aud: String?
        var bid: String?

        private enum CodingKeys: CodingKey { case iss, iat, exp, aud, bid }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            self.iss = try container.decode(String.self, forKey: .iss)
            self.iat = try? container.decode(Int64.self, forKey: .iat)
            self.exp = try container.decodeIfPresent(Int64.self, forKey: .exp)
            self.aud = try container.decodeIfPresent(String.self, forKey: .aud)
            self.bid = try container.decodeIfPresent(String.self, forKey: .bid)
        }
    }

    struct Header: Decodable, Sendable {
        var kid: String
        var typ: String?
    }

    var name: String
    var kid: String
    var private_key_pem: String
    var public_key_pem: String
    var header: Header
    var claims: Claims
    var signing_input: String
    var jwt: String
    var expect: String

    var testDescription: String { self.name }

    static let all: [ES256Vector] = {
        guard
            let url = Bundle.module.url(
                forResource: "es256_jwt",
                withExtension: "jsonl",
                subdirectory: "Vectors"
            ),
            let text = try? String(contentsOf: url, encoding: .utf8)
        else { return [] }
        return text.split(separator: "\n").compactMap {
            try? JSONDecoder().decode(ES256Vector.self, from: Data($0.utf8))
        }
    }()
}
