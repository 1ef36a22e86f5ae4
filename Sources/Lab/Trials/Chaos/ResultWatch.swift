import Fleet
import Harness
import Kafka
import Records
import ServiceKit

/// Reads the results as they are written. It shows when every input has an outcome, and when a partition is
/// processed again after a kill.
final class ResultWatch: Attended {
    private let reader: TopicReader
    private let topic: String
    private let results: any WorkerResult.Type
    /// For each input partition, whether the record at each offset has an outcome.
    private var seen: [[Bool]] = []
    /// The number of different inputs that have an outcome.
    private(set) var settled = 0
    var takeovers = Takeovers()

    /// - Parameter results: the message type of the result topic.
    init(_ worker: WorkerIdentity, _ results: any WorkerResult.Type, brokers: String) throws {
        self.topic = worker.topic
        self.results = results
        self.reader = try Harness.reader(of: [worker.resultTopic], brokers)
    }

    var descriptors: [Int32] { [self.reader.descriptor] }

    func serve() {
        while self.reader.read(atMost: 1_000, { self.found($0) }, { _ in }) == 1_000 {}
    }

    /// Whether the input at this place has an outcome.
    func hasOutcome(_ partition: Int32, _ offset: Int64) -> Bool {
        let (partition, offset) = (Int(partition), Int(offset))
        return self.seen.indices.contains(partition) && self.seen[partition].indices.contains(offset)
            && self.seen[partition][offset]
    }

    /// A text with the first offset without an outcome in each partition that has a gap; empty if there is no
    /// gap.
    var missing: String {
        let gaps = self.seen.indices.compactMap { partition in
            self.seen[partition].firstIndex(of: false).map { "\(partition)/\($0)" }
        }
        return gaps.isEmpty ? "" : ", the first \(gaps.joined(separator: ", "))"
    }

    private func found(_ record: InboundRecord) {
        guard let sighting = Sighting(record, as: self.results),
            let place = InputPlace(sighting.place, in: self.topic),
            let offset = Int(exactly: place.offset), place.partition < 1_000, offset < 100_000_000
        else { return }
        self.takeovers.found(place.partition, receivedAt: sighting.receivedAt)
        while self.seen.count <= Int(place.partition) { self.seen.append([]) }
        let partition = Int(place.partition)
        if self.seen[partition].count <= offset {
            self.seen[partition] += Array(repeating: false, count: offset + 1 - self.seen[partition].count)
        }
        if !self.seen[partition][offset] { self.settled += 1 }
        self.seen[partition][offset] = true
    }
}
