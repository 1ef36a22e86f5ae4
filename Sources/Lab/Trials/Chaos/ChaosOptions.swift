import Harness
package import WorkerKit

/// The options of a chaos run.
package struct ChaosOptions: Hashable, Sendable {
    /// The time in which faults occur and the load runs.
    package var length: Duration
    /// The seed of all faults and inputs.
    package var seed: UInt64
    package var delivery: EngineSettings.Delivery
    package var workers: Int
    /// The addresses of a real cluster; nil for an embedded broker, which is also made to fail.
    package var brokers: String?
    /// The number of inputs per second.
    package var rate: Int
    /// Whether other publishers send records beside the load, some of them harmful, and whether receipts are
    /// verified while one endpoint of the store is down, and events of pushes are counted beside a device that invents
    /// messages.
    package var hasAdversary = false
    /// Whether conversions come as uploads to a gateway and as records with callbacks, and are reported to the
    /// Marketing API.
    package var hasRoutes = false
    /// The longest time that honest records may take, at the 99th percentile, and the first records of new partitions.
    package var lateAfter: Duration
    /// The folder for the workers' logs; nil if they are not kept.
    package var logs: String?

    /// The bound on honest records where none is said. It allows for the time that the faults of a run take, on a machine with
    /// nothing else to do.
    package static let usualBound = Duration.seconds(30)

    /// The largest number of inputs. All inputs of a run are kept in memory until its end, also by the
    /// embedded broker.
    package static let inputsLimit = 600_000

    /// Makes the options from their parts.
    package init(
        length: Duration,
        seed: UInt64,
        delivery: EngineSettings.Delivery,
        workers: Int,
        brokers: String? = nil,
        rate: Int,
        hasAdversary: Bool = false,
        hasRoutes: Bool = false,
        lateAfter: Duration = Self.usualBound,
        logs: String? = nil
    ) {
        self.length = length
        self.seed = seed
        self.delivery = delivery
        self.workers = workers
        self.brokers = brokers
        self.rate = rate
        self.hasAdversary = hasAdversary
        self.hasRoutes = hasRoutes
        self.lateAfter = lateAfter
        self.logs = logs
    }

    /// The number of inputs that the run will have.
    package var inputs: Int {
        Int(self.length / .seconds(1)) * (self.rate + (self.hasAdversary ? 2 * self.sideRate : 0))
    }

    /// The number of receipts, and of push events, per second beside an adversary: a tenth of the rate, but at least 10
    /// (if the rate is not lower), so that every partition gets some.
    package var sideRate: Int { min(self.rate, max(10, self.rate / 10)) }
    /// The number of receipt workers, and of push-arrival workers.
    package var sideWorkers: Int { min(2, self.workers) }

    /// The session timeout of the workers' consumers.
    package var sessionTimeout: Duration { self.brokers == nil ? .seconds(3) : .seconds(6) }

    /// The transaction timeout of the workers. For so long, `read_committed` readers can be blocked by the
    /// open transaction of a worker that was killed.
    package var transactionTimeout: Duration { self.brokers == nil ? .seconds(5) : .seconds(10) }
}
