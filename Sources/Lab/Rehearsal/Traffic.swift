import Harness
import Kafka
import Records
import Terminal

/// The records that the demo publishes to one worker, and the records that it reads from that worker's
/// topics.
final class Traffic: Attended {
    private(set) var register: Register
    private var brokers = ""
    private var topics: [String] = []
    private var producer: Producer?
    private var reader: TopicReader?

    /// The topics that hold neither results nor dead letters.
    private let statements: Set<String>
    private let take: (InboundRecord) -> Void

    /// - Parameters:
    ///   - results: the message type of the result topic.
    ///   - statements: further topics to read. Their records are passed to `take`.
    init(
        _ results: any WorkerResult.Type,
        statements: [String] = [],
        take: @escaping (InboundRecord) -> Void = { _ in }
    ) {
        self.register = Register(results)
        self.statements = Set(statements)
        self.take = take
    }

    /// Connects to the broker. The topics must exist.
    func connect(to brokers: String, reading topics: [String]) throws {
        self.brokers = brokers
        self.topics = topics
        self.producer = try Producer(["bootstrap.servers": brokers, "linger.ms": "0"])
        self.reader = try Harness.reader(of: topics + self.statements.sorted(), brokers)
    }

    /// A second reader of the results and dead letters, which starts at their beginning.
    func readerFromTheBeginning() throws -> TopicReader { try Harness.reader(of: self.topics, self.brokers) }

    var descriptors: [Int32] { [self.producer?.descriptor ?? -1, self.reader?.descriptor ?? -1] }

    /// Publishes records and registers them.
    func publish(_ samples: [Sample]) throws {
        guard let producer else { throw Complaint("there is no broker yet") }
        for sample in samples {
            try producer.send(sample.record, id: self.register.published(sample))
        }
        self.serve()
    }

    func serve() {
        self.producer?.serve { receipt in
            self.register.delivered(receipt)
        } _: { _ in
        }
        while let reader, reader.read(atMost: 1_000, { self.arrived($0) }, { _ in }) == 1_000 {}
    }

    private func arrived(_ record: InboundRecord) {
        if self.statements.contains(record.topic) { self.take(record) } else { self.register.arrived(record) }
    }
}
