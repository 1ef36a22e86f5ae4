import Foundation
import Records
import UpstreamSimulator

/// Receipt records as a backend publishes them, the app they are of, and a worker for it.
enum Receipts {
    static let app = "com.example.app"
    static let issuer = "57246542-96fe-1a63-e053-0824d011072a"

    static let apps = [
        SimulatedApp(
            bundleID: Self.app,
            sharedSecret: "s3cret",
            issuerID: Self.issuer,
            keyID: DeviceChecks.keyID,
            publicKeyPEM: DeviceChecks.publicKey
        )
    ]

    static func purchase(
        _ id: String,
        isSandbox: Bool = false,
        expiresIn: Int64? = nil,
        revoked: Bool = false,
        lag: Int? = nil
    ) -> SimulatedPurchase {
        let now = DeviceChecks.now
        var purchase = SimulatedPurchase(
            transactionID: id,
            bundleID: Self.app,
            productID: "com.example.app.pro",
            isSandbox: isSandbox,
            purchasedAt: now - 86_400_000,
            expiresAt: expiresIn.map { now + $0 },
            revokedAt: revoked ? now - 1_000 : nil
        )
        purchase.lag = lag
        return purchase
    }

    static func record(
        _ members: [String: String],
        to topic: String,
        id: String,
        key: String? = nil
    ) -> OutboundRecord {
        let members = ["bundleId": Self.app, "requestId": id].merging(members) { $1 }
        let value = (try? JSONSerialization.data(withJSONObject: members)).map(Array.init) ?? []
        return OutboundRecord(topic: topic, key: Array((key ?? id).utf8), value: value)
    }

    static func worker(
        _ cluster: TestCluster,
        _ apple: RunningStore,
        route: String,
        root: URL,
        sandboxURL: String? = nil,
        more: String = ""
    ) throws -> WorkerUnderTest {
        let key = DeviceChecks.key.split(separator: "\n").map { "        \($0)" }.joined(separator: "\n")
        return try WorkerUnderTest(
            "receipt-worker",
            """
            kafka:
              brokers: \(cluster.brokers)
              session_timeout: 6s
              topic: \(cluster.input)
              group: \(cluster.input)
              fetch_wait: 5ms
            apple:
              signed_data_roots: \(root.path)
            receipt:
              verifyreceipt_production_url: \(apple.url)
              verifyreceipt_sandbox_url: \(apple.sandboxURL)
              app_store_production_url: \(apple.url)
              app_store_sandbox_url: \(sandboxURL ?? apple.sandboxURL)
              first_lag: 50ms
              apps:
                - bundle_id: \(Self.app)
                  calls_per_second: 5000
                  route: \(route)
                  shared_secret: s3cret
                  issuer_id: \(Self.issuer)
                  key_id: \(DeviceChecks.keyID)
                  key: |
            \(key)
            hold:
              first_pause: 200ms
              longest_pause: 1s
            retry:
              base: 20ms
              longest: 100ms
            health:
              host: 127.0.0.1
              port: 0
            log:
              format: text
              level: info
            \(more)
            """
        )
    }
}

/// A result of the receipt worker as a backend would read it.
struct ReadReceipt: Decodable, Hashable {
    struct Transaction: Decodable, Hashable {
        var transactionId: String
        var state: String
        var willRenew: Bool?
    }

    var outcome: ReadOutcome.Body
    var verdict: String?
    var flagged: Bool?
    var requestId: String?
    var transactions: [Transaction]?

    /// Fate and verdict, and the state of each purchase.
    var text: String {
        let states = (self.transactions ?? []).map { " \($0.transactionId) \($0.state)" }.joined()
        return "\(self.outcome.fate) \(self.verdict ?? "-")\(self.flagged == true ? " flagged" : "")\(states)"
    }
}

extension InboundRecord {
    var receipt: ReadReceipt? {
        self.value.flatMap { try? JSONDecoder().decode(ReadReceipt.self, from: Data($0)) }
    }
}

extension TopicContents {
    /// The last result of each request.
    var receipts: [String: ReadReceipt] {
        let results = self.records.compactMap(\.receipt)
        return Dictionary(results.compactMap { result in result.requestId.map { ($0, result) } }) { $1 }
    }
}
