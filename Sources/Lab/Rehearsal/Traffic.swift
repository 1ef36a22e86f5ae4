import Harness
import Kafka
import Records
import Terminal

/// The records that the demo publishes to one worker, and the records that it reads from that worker's
/// topics.
final class Traffic: Attended {
    private(set) var register: Register
    private var brokers = ""
    private var producer: Producer?
    private var reader: TopicReader?
    private let demo: any WorkerDemo

    init(of demo: any WorkerDemo) {
        self.demo = demo
        self.register = Register { demo.sighting(of: $0) }
    }

    /// Connects to the broker. The topics must exist.
    func connect(to brokers: String) throws {
        self.brokers = brokers
        self.producer = try Producer(["bootstrap.servers": brokers, "linger.ms": "0"])
        let demo = self.demo
        self.reader = try Harness.reader(
            of: demo.resultTopics + demo.postedTopics + demo.statementTopics,
            brokers
        )
    }

    /// A second reader of the results and dead letters, which starts at their beginning.
    func readerFromTheBeginning() throws -> TopicReader {
        try Harness.reader(of: self.demo.resultTopics, self.brokers)
    }

    var descriptors: [Int32] { [self.producer?.descriptor ?? -1, self.reader?.descriptor ?? -1] }

    /// Publishes records, or posts the requests that make them, and registers them.
    ///
    /// - Parameter post: posts a request to the gateway.
    func publish(_ samples: [Sample], posting post: (Sample.Post) -> Void) throws {
        guard let producer else { throw Complaint("there is no broker yet") }
        for sample in samples {
            let id = self.register.published(sample)
            if let request = sample.post {
                post(request)
            } else {
                try producer.send(sample.record, id: id)
            }
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
        if self.demo.postedTopics.contains(record.topic) {
            self.register.taken(record)
        } else if self.demo.isStatement(record) {
            self.demo.take(record)
        } else {
            self.register.arrived(record)
        }
    }
}
