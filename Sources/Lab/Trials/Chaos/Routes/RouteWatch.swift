import Harness
import Kafka
import Records

/// Reads all topics of a chaos run with uploads while it runs, and to their ends.
final class RouteWatch: Attended {
    private(set) var evidence: RouteEvidence
    private let reader: TopicReader

    init(_ topics: RouteProcesses.Topics, brokers: String) throws {
        self.evidence = RouteEvidence(topics)
        self.reader = try Harness.reader(of: topics.all.filter { $0 != topics.changelog }, brokers)
    }

    var descriptors: [Int32] { [self.reader.descriptor] }

    var isAtEnd: Bool { self.reader.isAtEnd }

    func serve() {
        while self.reader.read(atMost: 1_000, { self.evidence.found($0) }, { _ in }) == 1_000 {}
    }
}
