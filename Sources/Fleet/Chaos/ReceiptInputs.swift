import Records
import UpstreamSimulator
import WireFormats
import WireMessages
import WorkerKit

/// The receipts of a chaos run with an adversary: honest users who have bought in production, and others who send
/// receipts of the sandbox, most of them while it is dead, the first of those large.
struct ReceiptInputs: LoadSource {
    static let bundleID = "com.example.chaos"
    static let honestKeys = 500
    /// These are few, so that each key has many records that have to keep their order.
    static let sandboxKeys = 50
    static let keys = honestKeys + sandboxKeys

    /// How many of a hundred receipts are for the sandbox while it is dead, and at any other time.
    private static let (flood, trickle) = (75, 10)
    /// The number of large receipts, the first ones for the dead sandbox: twice what two workers may have in hand.
    static let largeLimit = 100
    static let ballast = 40_000

    private let topic: String
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

    /// What the store knows of: ten purchases in production, and ten in the sandbox.
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

    /// - Parameter ballast: the length of a member that no worker knows.
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
