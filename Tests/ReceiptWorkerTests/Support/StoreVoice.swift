import Cryptography
import Testing
import WireFormats

@testable import UpstreamSimulator

/// The answers of the App Store Server API, signed with the simulator's chain.
enum StoreVoice {
    /// One value of a payload.
    enum Value: Encodable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
        case text(String)
        case number(Int64)

        init(stringLiteral value: String) { self = .text(value) }
        init(integerLiteral value: Int64) { self = .number(value) }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .text(let text): try container.encode(text)
            case .number(let number): try container.encode(number)
            }
        }
    }

    typealias Payload = [String: Value]

    private static let writer = SignedDataWriter(
        keyPEM: SimulatedChain.leafKeyPEM,
        certificates: SimulatedChain.certificates
    )

    static var anchors: TrustAnchors {
        get throws { TrustAnchors(try #require(Certificate.all(in: Array(SimulatedChain.rootPEM.utf8)))) }
    }

    /// A purchase in production, of a product that is bought once and for all unless it expires.
    static func purchase(_ id: String, _ more: Payload = [:]) -> Payload {
        let isSubscription = more["expiresDate"] != nil
        let payload: Payload = [
            "transactionId": .text(id), "originalTransactionId": .text(id), "bundleId": .text(Case.app),
            "productId": "pro", "purchaseDate": .number(Case.now - 1_000), "signedDate": .number(Case.now),
            "environment": "Production",
            "type": isSubscription ? "Auto-Renewable Subscription" : "Non-Consumable",
        ]
        return payload.merging(more) { $1 }
    }

    static func signed(_ payload: Payload) throws -> String { try #require(self.writer?.signed(payload)) }

    static func transaction(_ payload: Payload) throws -> String {
        #"{"signedTransactionInfo":"\#(try self.signed(payload))"}"#
    }

    static func page(_ payloads: [Payload], next: String? = nil) throws -> String {
        let texts = try payloads.map { "\"\(try self.signed($0))\"" }.joined(separator: ",")
        let more = next.map { #","revision":"\#($0)","hasMore":true"# } ?? #","hasMore":false"#
        return #"{"signedTransactions":[\#(texts)]\#(more)}"#
    }

    static func statuses(_ status: Int, _ payload: Payload) throws -> String {
        let text = try self.signed(payload)
        return #"{"data":[{"lastTransactions":[{"status":\#(status),"signedTransactionInfo":"\#(text)"}]}]}"#
    }
}
