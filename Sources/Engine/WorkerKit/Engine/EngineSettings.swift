package import ServiceKit
package import WireFormats

/// The settings of an engine. Every limit is here, and a worker can start with every default.
package struct EngineSettings: Hashable, Sendable {
    /// The records of a partition that have to be worked on one after the other.
    package enum Ordering: String, Hashable, Sendable, CaseIterable {
        /// A record waits until every earlier record of its key is settled. Records without a key wait for no
        /// other.
        case key
        /// A record waits until every earlier record of its partition is settled. With this order, no record
        /// is parked.
        case partition
        /// No record waits for another. Only with this order can there be retry topics.
        case none
    }

    /// The topic that is consumed.
    package var inputTopic: String
    /// The topic of the outcome records.
    package var resultTopic: String
    /// The topic of the dead letters: the original records that could not be settled otherwise.
    package var deadLetterTopic: String
    /// The topics of dead letters with some reasons.
    package var deadLetterRoutes = DeadLetterRoutes()
    /// The topic in which tickets of parked records are written, if it exists.
    package var parkedTopic: String
    /// The topics to which the handler sends records of its own. They have to be there.
    package var channelTopics: [String] = []
    /// The topics of other programs that tell a mistake between them and this worker.
    package var neighbours: [Preflight.Neighbour] = []
    /// The id of the consumer group.
    package var groupID: String
    /// The name of the worker in outcomes and dead letters, such as `activation-worker`.
    package var worker: String
    /// The version of the worker in outcomes and dead letters.
    package var workerVersion: String
    /// The name of the upstream in dead letters and metrics, such as `gdt`.
    package var upstream: String

    /// The number of times that a reader of the results can see an outcome when a worker dies or loses its
    /// partitions half-way.
    package enum Delivery: String, Hashable, Sendable, CaseIterable {
        /// A reader sees every outcome at least once. Repeated outcomes have equal ids.
        case atLeastOnce = "at-least-once"
        /// A reader that reads committed records only sees every outcome once: outcomes, dead letters and
        /// offsets are one transaction. Calls to the upstream are made at least once all the same.
        case exactlyOnce = "exactly-once"
    }

    /// Whether a reader of the results can see an outcome more than once.
    package var delivery = Delivery.atLeastOnce
    /// The records that wait for each other.
    package var ordering = Ordering.key
    /// The largest number of calls in flight at once.
    package var concurrency = 64

    /// The rule that finds the number of calls in flight.
    package enum Pace: String, Hashable, Sendable, CaseIterable {
        /// The number is `concurrency`.
        case fixed
        /// The number is `concurrency`, and the metrics show the adaptive limit beside it.
        case shadow
        /// The number is what the upstream takes without making calls wait, and at most `concurrency`.
        case adaptive
    }

    /// How the number of calls in flight is found.
    package var pace = Pace.fixed
    /// The adaptive limit never falls below this number of calls.
    package var leastConcurrency = 1
    /// The number of records that may queue behind one record of a key before the order of that key is
    /// switched off for a while. By default, it is never switched off.
    package var bypass = KeyBypass<OrderingKey>.Settings()
    /// The number of counted failures at which a record becomes a dead letter of the class `exhausted`.
    package var attempts = 10
    /// How long after its timestamp a call may still be made for a record. After that, its outcome is
    /// `expired`.
    package var deadline = Duration.seconds(7 * 24 * 3_600)
    /// The conditions of which one is enough to leave a record out: its outcome is `rejected`, without a call.
    package var skip: [RecordFilter] = []
    /// The topics in which records spend long waits between two attempts, by ascending delay. The list is
    /// empty if an order is kept. A wait shorter than the first delay is spent in hand.
    package var retryTiers: [RetryTier] = []
    /// The wait between two attempts of one record.
    package var backoff = Backoff(base: .milliseconds(500), longest: .seconds(60))
    /// The longest time that an upstream can make all calls wait (`Retry-After`) before a probe asks again.
    /// One answer, perhaps of a single faulty server, must not stop a worker for a day.
    package var longestGate = Duration.seconds(300)
    /// Whether a record that holds up its whole partition is sent to a retry topic or to the dead letters
    /// (`HeadOfLine`).
    package var resolvesHeadOfLine = true
    /// When the circuit breaker of an endpoint opens, and for how long.
    package var breaker = CircuitBreaker.Settings()
    /// The bounds on the dead letters of one lane and reason.
    package var budget = DeadLetterBudget.Settings()
    /// The number of calls a second that the whole fleet may make; nil if only the slots limit it.
    package var rate: RateLimit.Settings?
    /// When a lane is held because its configuration looks broken, and for how long.
    package var lanes = LaneHealth.Settings()
    /// The format of the values of outcome records.
    package var resultFormat = ValueFormat.json
    /// Whether outcome records are CloudEvents.
    package var resultEnvelope = ResultEnvelope.none
    /// The number of the result's schema in a schema registry, which makes a frame before the value of outcome
    /// records; nil for no frame.
    package var resultSchemaID: Int32?

    /// The largest number of records in hand, in any state.
    ///
    /// The records of a held lane count too. A partition is read in order, so if they fill this limit, the
    /// records of other lanes behind them wait as well. The log and the metrics report that.
    package var recordsLimit = 100_000
    /// The largest number of bytes in hand: records with the memory that an entry takes, requests in flight,
    /// received answers, and outcomes that the broker has not acknowledged. The bound is checked between
    /// reads of up to 64 records, so one read can exceed it.
    package var bytesLimit = 64 << 20
    /// The largest record that the broker takes, in bytes.
    package var messageBytesLimit = 1_000_000
    /// How long a worker that has work may take in and finish nothing before it reports that it stands still.
    package var stallLimit = Duration.seconds(30)
    /// The least time between two commits.
    package var commitInterval = Duration.milliseconds(200)
    /// The number of records after which a bounded run ends; nil for no bound. The engine never takes in more
    /// than are left to settle.
    package var settledBound: Int?
    /// How long a revoke or a stop waits for calls in flight and for the broker's acknowledgements.
    package var drainLimit = Duration.seconds(15)
    /// How long the last commit before a revoke may take, and how long leaving the group may take after it.
    package var commitLimit = Duration.seconds(5)

    /// The longest duration of a stop, from the signal to the end of the process.
    package var longestStop: Duration {
        // After the group has been left, connections and files still have to be closed.
        let ending = Duration.seconds(3)
        return self.drainLimit + self.commitLimit * 2 + ending
    }

    /// The input topic, followed by its retry topics if there are any.
    package var consumedTopics: [String] { [self.inputTopic] + self.retryTiers.map(\.topic) }

    /// Makes the default settings. The topics for results, dead letters and tickets get their default names
    /// from `inputTopic`.
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
        self.parkedTopic = inputTopic + ParkingTicket.topicSuffix
        self.groupID = groupID
        self.worker = worker
        self.workerVersion = workerVersion
        self.upstream = upstream
    }
}

/// The facts about the cluster that the engine learns when it starts.
package struct ClusterFacts: Hashable, Sendable {
    /// The id of the cluster. It makes dead-letter ids differ between clusters.
    package var clusterID: String
    /// The number of partitions of the result topic. The outcome of a record goes to the partition with the
    /// record's number, modulo this one.
    package var resultPartitions: Int
    /// The number of partitions of the dead-letter topic. A dead letter goes to the partition with its
    /// record's number, modulo this one.
    package var deadLetterPartitions: Int
    /// The number of partitions of each topic of dead letters with some reasons, by its name.
    package var routedLetterPartitions: [String: Int]
    /// The number of partitions of the input topic and its retry topics together.
    package var consumedPartitions: Int
    /// Whether the input topic is compacted, as far as the cluster tells.
    package var isInputCompacted: Bool
    /// The number of partitions of the parking topic; 0 if there is none.
    package var parkedPartitions: Int
    /// The number of partitions of each retry topic, by its name.
    package var retryPartitions: [String: Int]
    /// The milliseconds by which this machine's clock was ahead of the brokers' at the start; 0 if that is not known.
    package var clockLead: Int64

    package init(
        clusterID: String,
        resultPartitions: Int,
        deadLetterPartitions: Int,
        routedLetterPartitions: [String: Int] = [:],
        consumedPartitions: Int,
        isInputCompacted: Bool = false,
        parkedPartitions: Int = 0,
        retryPartitions: [String: Int] = [:],
        clockLead: Int64 = 0
    ) {
        self.clockLead = clockLead
        self.clusterID = clusterID
        self.consumedPartitions = consumedPartitions
        self.isInputCompacted = isInputCompacted
        self.parkedPartitions = parkedPartitions
        self.retryPartitions = retryPartitions
        self.resultPartitions = resultPartitions
        self.deadLetterPartitions = deadLetterPartitions
        self.routedLetterPartitions = routedLetterPartitions
    }
}
