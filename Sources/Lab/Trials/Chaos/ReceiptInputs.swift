import Harness
import Records
import ServiceKit
import UpstreamSimulator
import WireFormats
import WireMessages

/// The receipts of a chaos run with an adversary.
///
/// Honest users send receipts of purchases in production. Other users send receipts of purchases in the
/// sandbox, most of them while the sandbox is down; the first of those receipts are large.
struct ReceiptInputs: LoadSource {
    static let bundleID = "com.example.chaos"
    /// The number of keys of honest users.
    static let honestKeys = 500
    /// The number of keys of other users. There are few, so that each key has many records whose order must
    /// be kept.
    static let sandboxKeys = 50
    static let keys = honestKeys + sandboxKeys

    /// The percentage of sandbox receipts while the sandbox is down, and at all other times.
    private static let (flood, trickle) = (75, 10)
    /// The number of large receipts: the first ones while the sandbox is down. Together they are twice as
    /// large as the records that two workers may have in hand.
    static let largeLimit = 100
    /// The number of bytes by which a large receipt is extended.
    static let ballast = 40_000

    private let topic: String
    /// The time in which the sandbox is down, from the start of the load.
    private let dead: Range<Duration>
    private let production: [String]
    private let sandbox: [String]
    private var large = 0

    init(topic: String, dead: Range<Duration>) {
        self.topic = topic
        self.dead = dead
        let purchases = Self.purchases(now: Moment.now.wall)
        self.production = purchases.filter { !$0.isSandbox }.map { SimulatedReceipt.text(of: $0) }
        self.sandbox = purchases.filter(\.isSandbox).map { SimulatedReceipt.text(of: $0) }
    }

    /// The purchases that the simulated store knows: ten in production and ten in the sandbox.
    static func purchases(now: Int64) -> [SimulatedPurchase] {
        (10..<30).map { number in
            SimulatedPurchase(
                transactionID: "20000000000000\(number)",
                bundleID: self.bundleID,
                productID: "\(self.bundleID).book",
                isSandbox: number < 20,
                purchasedAt: now - 3_600_000
            )
        }
    }

    mutating func next(at time: Duration, using random: inout SplitMix64) -> LoadInput {
        let isDead = self.dead.contains(time)
        let isSandbox = Int.random(in: 0..<100, using: &random) < (isDead ? Self.flood : Self.trickle)
        guard isSandbox else {
            return LoadInput(
                record: self.record(self.production.randomElement(using: &random), for: .production),
                kind: .purchase,
                key: Int.random(in: 0..<Self.honestKeys, using: &random),
                isHonest: true
            )
        }
        var ballast = 0
        if isDead, self.large < Self.largeLimit {
            self.large += 1
            ballast = Self.ballast
        }
        return LoadInput(
            record: self.record(self.sandbox.randomElement(using: &random), for: .sandbox, ballast: ballast),
            kind: .sandboxPurchase,
            key: Self.honestKeys + Int.random(in: 0..<Self.sandboxKeys, using: &random),
            isHonest: false
        )
    }

    /// - Parameter ballast: the length in bytes of an additional JSON member that no worker reads.
    private func record(_ receipt: String?, for host: StoreHost, ballast: Int = 0) -> OutboundRecord {
        var message = Flotilla_Receipt_V1_Receipt()
        message.bundleID = Self.bundleID
        message.receiptData = receipt ?? ""
        message.environment = host.rawValue
        var value = message.written(as: .json)
        if ballast > 0 {
            let member = ",\"ballast\":\"\(String(repeating: "x", count: ballast))\"}"
            value.replaceSubrange((value.count - 1)..., with: Array(member.utf8))
        }
        return OutboundRecord(
            topic: self.topic,
            value: value,
            headers: [RecordHeader("content-type", ValueFormat.json.contentType)]
        )
    }
}
