import Records
import SwiftProtobuf
import WireMessages

/// The statistics as they came, in the order of their topic.
struct ToldStatistics {
    typealias Statistics = Flotilla_Pusharrival_V1_PushStatistics

    /// The last that was told of each message.
    private(set) var latest: [String: Statistics] = [:]
    /// Records that are no statistics.
    private(set) var riddles: [String] = []
    /// Where a version is not above the one before, or something came after the last word.
    private(set) var disorder: [String] = []

    mutating func hear(_ record: InboundRecord) {
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
