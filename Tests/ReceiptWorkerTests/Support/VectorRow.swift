import Cryptography
import Foundation
import Testing
import WireFormats

/// The rows of vectors that stand beside the tests of formats.
enum Vectors {
    static func rows<Row: Decodable>(_ name: String) -> [Row] {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "WireFormatsTests/Vectors/\(name).jsonl")
        let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").compactMap {
            try? JSONDecoder().decode(Row.self, from: Data($0.utf8))
        }
    }

    static func anchors(_ base64: String) throws -> TrustAnchors {
        let der = try #require(Base64.decode(Array(base64.utf8)))
        return TrustAnchors([try #require(Certificate(der: der))])
    }
}

/// A row of one of the two decision tables.
struct DecisionRow: Decodable, Sendable, CustomTestStringConvertible {
    var name: String
    var env: String
    var http_status: Int?
    var headers: [String: String]?
    var body: String?
    var action: String
    var visited: [String]?
    var transport_error: String?

    var testDescription: String { self.name }

    var status401: Bool { self.http_status == 401 }

    static let verifyReceipt: [DecisionRow] = Vectors.rows("verifyreceipt_decisions")
    static let serverAPI: [DecisionRow] = Vectors.rows("asapi_decisions")
}

/// A transaction that an own root has signed, or not.
struct SignedRow: Decodable, Sendable {
    var name: String
    var trusted_root_der_b64: String
    var jws: String

    private static let all: [SignedRow] = Vectors.rows("jws_x5c")

    static func named(_ name: String) throws -> SignedRow {
        try #require(self.all.first { $0.name == name })
    }

    static var root: String { get throws { try self.named("valid").trusted_root_der_b64 } }
}

/// An app receipt that an own root has signed, or not.
struct AppReceiptRow: Decodable, Sendable {
    var name: String
    var trusted_root_der_b64: String
    var receipt_b64: String

    private static let all: [AppReceiptRow] = Vectors.rows("pkcs7_receipt")

    static func named(_ name: String) throws -> AppReceiptRow {
        try #require(self.all.first { $0.name == name })
    }

    static var root: String { get throws { try self.named("subscription").trusted_root_der_b64 } }
}

/// A receipt of iOS 6.
struct OldReceiptRow: Decodable, Sendable {
    var name: String
    var receipt_b64: String
    var signing_cert_der_b64: String?

    private static let all: [OldReceiptRow] = Vectors.rows("ios6_transaction_receipt")

    static func named(_ name: String) throws -> OldReceiptRow {
        try #require(self.all.first { $0.name == name })
    }
}
