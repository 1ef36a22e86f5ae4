package import Kafka
package import Records
import ServiceKit
import WireFormats
import WorkerKit

/// A Kafka cluster with one input topic, its retry topics and one consumer group, as far as an engine can
/// tell.
///
/// It also judges what engines do. Each broken promise is added to `violations`.
package final class SimulatedCluster {
    /// The result of sending a record.
    package enum ProduceFate {
        /// The record is written, and its report arrives after this time.
        case acknowledged(after: Duration)
        /// The report says that sending failed. The record may have been written all the same.
        case failed(KafkaError, after: Duration, isWritten: Bool)
        /// The client refuses the record and does not queue it.
        case refused(KafkaError)
    }

    /// The result of a commit.
    package enum CommitFate {
        /// The commit is stored, and its answer arrives after this time.
        case acknowledged(after: Duration)
        /// The answer is an error. The commit may have been stored all the same.
        case failed(KafkaError, after: Duration, isStored: Bool)
        /// The client refuses the commit and does not send it.
        case refused(KafkaError)
    }

    /// The input topic.
    package static let topic = "work"
    static let parkingTopic = topic + ".parked"

    /// The id that the cluster reports. Changing it makes this another cluster with the same topics and
    /// commits.
    package var id = "simulated"

    /// Whether the input topic is compacted, as far as its settings tell.
    package var isInputCompacted = false

    /// The clock of the brokers.
    package let clock: SimulatedClock
    var narrator: Narrator?
    /// Requests on their way to the brokers. They take effect there even if their sender dies.
    var network = DueQueue<() -> Void>()
    let transactions: SimulatedTransactions
    /// The partitions that the group consumes.
    var logs: SimulatedLogs
    /// The records that readers of all topics can see.
    var visible = VisibleRecords()
    /// The topics of stream engines, which have readers besides the group; nil for engines of calls.
    var streams: StreamTopics?
    /// The topic of parked records; nil if workers cannot park.
    private(set) var parking: StreamTopics?
    let retryTopics: [String]
    /// The positions that the group has committed.
    package var stored: [TopicPartition: CommittedPosition] = [:]
    /// The offsets that the last commit of each partition reported as finished beyond its position. They were
    /// checked then.
    var rememberedAsFinished: [TopicPartition: [Int64]] = [:]
    /// The topics to which handlers send records of their own.
    package var channelTopics: Set<String> = []
    /// Whether the calls of any record may share requests.
    var sharesRequests = false
    /// Whether a status 429 is about the record of a call alone, and not about its lane.
    var waitsAlone: (SimulatedUpstream.Call) -> Bool = { _ in false }
    /// A description of each broken promise.
    package var violations: [String] = [] {
        didSet { for one in self.violations.dropFirst(oldValue.count) { self.narrator?.tell("judge", one) } }
    }
    /// The time after its publication in which a record may be called for.
    var deadline = Duration.seconds(0)
    /// Whether a second outcome for a record breaks a promise.
    package var isExactlyOnce = false
    /// The order in which records must be settled.
    var ordering = EngineSettings.Ordering.none
    /// Called for each outcome when a reader can see it.
    var outcomeSeen: (SimulatedOutcome) -> Void = { _ in }

    /// The size in bytes of the largest encoded record that the brokers accept; nil for no limit.
    package var messageLimit: Int?
    /// Decides what becomes of each record that is sent.
    package var produceFate: (OutboundRecord) -> ProduceFate = { _ in .acknowledged(after: .milliseconds(2)) }

    func fate(of record: OutboundRecord) -> ProduceFate {
        let place = TopicPartition(topic: record.topic, partition: record.partition ?? 0)
        if self.streams?.exists(place) == false { return .refused(.unknownPartition) }
        guard let limit = self.messageLimit, record.encodedBytesBound > limit else {
            return self.produceFate(record)
        }
        return .failed(.messageTooLarge, after: .milliseconds(2), isWritten: false)
    }

    /// Decides what becomes of each commit outside transactions.
    package var commitFate: ([CommittedPosition]) -> CommitFate = { _ in
        .acknowledged(after: .milliseconds(2))
    }
    /// Decides whether reading the committed positions fails.
    package var committedFate: () -> KafkaError? = { nil }
    /// The partitions of which no record is given out, although the bounds of their logs are told.
    package var mutePartitions: Set<TopicPartition> = []
    /// The errors of partitions that cannot be read. A reader is told of one whenever it looks for records.
    package var readErrors: [TopicPartition: KafkaError] = [:]
    /// Decides what becomes of each commit of a transaction.
    package var transactionFate: ([CommittedPosition]) -> TransactionFate = { _ in
        .committed(after: .milliseconds(6))
    }
    /// Decides whether a request to open or to abort a transaction fails; nil is success.
    package var openFate: () -> KafkaError? = { nil }
    /// The number of commits that were stored.
    package internal(set) var commits = 0

    /// The members of the group that have neither left nor been removed.
    package internal(set) var members: [SimulatedBroker] = []
    var generation = 0

    init(clock: SimulatedClock, partitions: Int, retryTopics: [String]) {
        self.clock = clock
        self.retryTopics = retryTopics
        self.transactions = SimulatedTransactions()
        self.logs = SimulatedLogs(inputPartitions: partitions, retryTopics: retryTopics)
        self.transactions.apply = { [unowned self] records, positions in
            self.narrator?.tell("cluster", "shows \(records.map(\.summary).joined(separator: ", "))")
            for record in records { self.write(record) }
            self.streams?.judge(records, positions)
            for position in positions { self.judge(position) }
            for position in positions { self.stored[position.partition] = position }
            self.commits += 1
        }
        self.transactions.began = { [unowned self] id, transaction in
            let end = self.clock.now.after(Self.transactionTimeout)
            self.network.add(
                { [unowned self] in self.transactions.expire(id, transaction: transaction) },
                due: end
            )
        }
    }

    /// Drops all requests that are under way and all members. They refer to the cluster and would keep it
    /// alive after its simulation.
    func end() {
        self.network = DueQueue()
        self.members = []
    }

    /// Makes the topic in which workers can park records.
    func makeParkingTopic() {
        self.parking = StreamTopics([Self.parkingTopic], consumed: [], in: self)
    }

    private static let transactionTimeout = Duration.seconds(15)

    var retryPartitions: [String: Int] {
        Dictionary(uniqueKeysWithValues: self.retryTopics.map { ($0, self.partitions) })
    }

    /// Returns a partition of the input topic.
    static func input(_ partition: Int32) -> TopicPartition {
        TopicPartition(topic: Self.topic, partition: partition)
    }

    /// The number of partitions of the input topic.
    package var partitions: Int { Int(self.logs.inputPartitions) }
}
