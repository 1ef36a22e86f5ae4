import Records
import SwiftProtobuf
import WireMessages

/// The statistics that the worker has published, in the order of their topic.
struct ToldStatistics {
    typealias Statistics = Flotilla_Pusharrival_V1_PushStatistics

    /// The latest statistics of each message.
    private(set) var latest: [String: Statistics] = [:]
    /// The places of records that are no statistics.
    private(set) var riddles: [String] = []
    /// Sentences about versions that do not grow, and about statistics after the complete ones.
    private(set) var disorder: [String] = []

    /// Takes a record of the statistics topic. Records must be passed in the order of their partition.
    mutating func take(_ record: InboundRecord) {
        guard let statistics = record.value.flatMap({ try? Statistics(jsonUTF8Bytes: $0) }) else {
            self.riddles.append("\(record.topic)/\(record.partition)/\(record.offset)")
            return
        }
        if let before = self.latest[statistics.messageID] {
            let step = "\(statistics.messageID): version \(statistics.version) after \(before.version)"
            if statistics.version <= before.version { self.disorder.append(step) }
            if before.complete { self.disorder.append("\(step), which was complete") }
        }
        self.latest[statistics.messageID] = statistics
    }
}
