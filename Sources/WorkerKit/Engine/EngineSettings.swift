package import WireFormats

/// How an engine behaves. Every limit is here, and every default is one that a worker can start with.
package struct EngineSettings: Hashable, Sendable {
    /// Which records of a partition may be worked on at the same time.
    package enum Ordering: String, Hashable, Sendable, CaseIterable {
        /// A record waits until every earlier one of its key is settled. Records without a key wait for none.
        case key
        /// A record waits until every earlier one of its partition is settled.
        case partition
        case none
    }

    package var inputTopic: String
    package var resultTopic: String
    package var deadLetterTopic: String
    /// Where records are put aside, if there is such a topic.
    package var parkedTopic: String
    package var groupID: String
    /// Names the worker in outcomes and dead letters, such as `activation-worker`.
    package var worker: String
    package var workerVersion: String
    /// Names the upstream in dead letters and metrics, such as `gdt`.
    package var upstream: String

    /// What a reader of the results sees when a worker dies or loses its partitions half-way.
    package enum Delivery: String, Hashable, Sendable, CaseIterable {
        /// Every outcome at least once; repeats have equal ids.
        case atLeastOnce = "at-least-once"
        /// Every outcome once, for a reader that reads committed records only: outcomes, dead letters and offsets
        /// are one transaction. Calls to the upstream are made at least once all the same.
        case exactlyOnce = "exactly-once"
    }

    package var delivery = Delivery.atLeastOnce
    package var ordering = Ordering.key
    /// Calls in flight at once.
    package var concurrency = 64

    /// How the number of calls in flight is found.
    package enum Pace: String, Hashable, Sendable, CaseIterable {
        /// `concurrency`.
        case fixed
        /// `concurrency`; what the adaptive limit would be is only shown.
        case shadow
        /// What the upstream takes without making calls wait, up to `concurrency`.
        case adaptive
    }

    package var pace = Pace.fixed
    /// The adaptive limit never falls below this.
    package var leastConcurrency = 1
    /// How many records may queue behind one key before its order is switched off for a while; never by default.
    package var bypass = KeyBypass<OrderingKey>.Settings()
    /// Counted failures after which a record is dead-lettered as `exhausted`.
    package var attempts = 10
    /// How long after its timestamp a record may still be called for; then its outcome is `expired`.
    package var deadline = Duration.seconds(7 * 24 * 3_600)
    /// Where records wait that are to be called for again after a long time, by rising delay; none where order is
    /// kept. A shorter wait than the first is spent in hand.
    package var retryTiers: [RetryTier] = []
    package var backoff = Backoff(base: .milliseconds(500), longest: .seconds(60))
    /// How long an upstream can have everybody wait (`Retry-After`) before a probe asks whether it still wants
    /// that. One answer, perhaps of one confused server, must not stop a worker for a day.
    package var longestGate = Duration.seconds(300)
    /// Whether a record that holds up a whole partition is sent elsewhere (`HeadOfLine`).
    package var resolvesHeadOfLine = true
    package var breaker = CircuitBreaker.Settings()
    package var budget = DeadLetterBudget.Settings()
    /// Calls a second of the whole fleet; nil for as many as there are slots for.
    package var rate: RateLimit.Settings?
    package var lanes = LaneHealth.Settings()
    package var resultFormat = ValueFormat.json

    /// Records in hand, in whatever state. Those of a held lane count too: a partition is read in order, so
    /// that when they fill it, the records of other lanes behind them wait as well. The log and the metrics
    /// say when that is so.
    package var recordsLimit = 100_000
    /// Bytes of the records in hand: keys, values and headers, and what it takes to keep them.
    package var bytesLimit = 64 << 20
    /// The largest record that the broker takes.
    package var messageBytesLimit = 1_000_000
    /// A worker that has something to do and takes in and finishes nothing for longer says so.
    package var stallLimit = Duration.seconds(30)
    package var commitInterval = Duration.milliseconds(200)
    /// Records that may be settled; those taken in are never more. Nil for no bound.
    package var settledBound: Int?
    /// How long a revoke or a stop waits for calls in flight and for the broker's acknowledgements.
    package var drainLimit = Duration.seconds(15)
    /// How long the last commit before a revoke may take, and leaving the group after it.
    package var commitLimit = Duration.seconds(5)

    /// How long a stop can take, from the signal to the end of the process.
    package var longestStop: Duration {
        // What is left to do after the group has been left: connections and files are closed.
        let ending = Duration.seconds(3)
        return self.drainLimit + self.commitLimit * 2 + ending
    }

    /// The input and, where there are some, its retry topics.
    package var consumedTopics: [String] { [self.inputTopic] + self.retryTiers.map(\.topic) }

    package init(
        inputTopic: String,
        groupID: String,
        worker: String,
        workerVersion: String,
        upstream: String
    ) {
        self.inputTopic = inputTopic
        self.resultTopic = inputTopic + ".result"
        self.deadLetterTopic = inputTopic + ".dead-letter"
        self.parkedTopic = inputTopic + ".parked"
        self.groupID = groupID
        self.worker = worker
        self.workerVersion = workerVersion
        self.upstream = upstream
    }
}

/// A topic whose records wait all equally long before they are called for again.
package struct RetryTier: Hashable, Sendable {
    package var topic: String
    package var delay: Duration

    package init(topic: String, delay: Duration) {
        self.topic = topic
        self.delay = delay
    }
}

/// What the engine learns of the cluster when it starts.
package struct ClusterFacts: Hashable, Sendable {
    /// Makes dead-letter ids differ between clusters.
    package var clusterID: String
    package var resultPartitions: Int
    package var deadLetterPartitions: Int
    /// Of the input topic and the retry topics together.
    package var consumedPartitions: Int
    /// Of the parking topic; 0 if there is none.
    package var parkedPartitions: Int
    /// Of each retry topic.
    package var retryPartitions: [String: Int]

    package init(
        clusterID: String,
        resultPartitions: Int,
        deadLetterPartitions: Int,
        consumedPartitions: Int,
        parkedPartitions: Int = 0,
        retryPartitions: [String: Int] = [:]
    ) {
        self.clusterID = clusterID
        self.consumedPartitions = consumedPartitions
        self.parkedPartitions = parkedPartitions
        self.retryPartitions = retryPartitions
        self.resultPartitions = resultPartitions
        self.deadLetterPartitions = deadLetterPartitions
    }
}
