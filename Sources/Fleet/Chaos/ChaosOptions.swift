import WorkerKit

/// What a chaos run is asked to be.
struct ChaosOptions: Hashable, Sendable {
    var length: Duration
    var seed: UInt64
    var delivery: EngineSettings.Delivery
    var workers: Int
    /// A real cluster; nil for an embedded broker, which is made to fail too.
    var brokers: String?
    /// Inputs a second.
    var rate: Int
    /// Whether others publish beside the load, some of them to do harm, and receipts are verified beside a dead endpoint.
    var hasAdversary = false
    /// A folder for the workers' logs; nil for none.
    var logs: String?

    /// All inputs of a run are kept until its end, by the broker as well.
    static let inputsLimit = 600_000

    var inputs: Int {
        Int(self.length / .seconds(1)) * (self.rate + (self.hasAdversary ? self.receiptRate : 0))
    }

    /// Receipts a second beside an adversary: a tenth, and not so few that a partition goes without.
    var receiptRate: Int { min(self.rate, max(10, self.rate / 10)) }
    var receiptWorkers: Int { min(2, self.workers) }

    var sessionTimeout: Duration { self.brokers == nil ? .seconds(3) : .seconds(6) }

    /// Readers wait for so long for the transaction of a worker that was killed.
    var transactionTimeout: Duration { self.brokers == nil ? .seconds(5) : .seconds(10) }
}
