import DeadLetters
import Kafka
import ServiceKit

/// Compares the clock of this machine with the timestamps of the newest records, without writing one.
///
/// A record cannot be newer than now. A clock that is behind shows in no record, so nothing is said about it.
struct ClockCheck {
    /// A difference below this is normal, in milliseconds.
    static let tolerance: Int64 = 2_000
    /// The most partitions of a topic that are looked at.
    private static let mostPartitions: Int32 = 32

    let log: LogReader
    /// The longest time that the cluster may take to answer a request.
    let patience: Duration

    /// Reads the newest record of each partition of a topic. Blocks the calling thread.
    ///
    /// - Throws: `KafkaError` or `LogStretch.Stalled` if the cluster does not answer in time.
    func finding(of topic: String, partitions: Int) throws -> Finding {
        let all = (0..<min(Int32(clamping: partitions), Self.mostPartitions)).map {
            TopicPartition(topic: topic, partition: $0)
        }
        let ranges = try self.log.bounds(of: all, atMost: self.patience).mapValues { bounds in
            // The last offsets can be markers of transactions, which are no records.
            max(bounds.lowerBound, bounds.upperBound - 16)..<bounds.upperBound
        }
        var newest: Int64?
        try LogStretch(log: self.log, ranges: ranges, patience: self.patience).read { _, record in
            if let time = record.timestamp { newest = max(newest ?? time, time) }
        } _: { _ in
        }
        return Self.finding(of: topic, newest: newest, now: Moment.now.wall)
    }

    /// Judges the time of the newest record of a topic, in milliseconds since 1970; nil if there is none.
    static func finding(of topic: String, newest: Int64?, now: Int64) -> Finding {
        let subject = "clocks"
        guard let newest else {
            return Finding(
                .unchecked,
                subject,
                saying: "'\(topic)' has no record whose time could be compared"
            )
        }
        let ahead = newest - now
        guard ahead > Self.tolerance else {
            return Finding(
                .good,
                subject,
                saying: "no record of '\(topic)' is newer than this machine's clock"
            )
        }
        return Finding(
            .warning,
            subject,
            saying:
                "the newest record of '\(topic)' is \(ahead / 1_000) s ahead of this machine's clock: set the clock of this "
                + "machine, or of the one that wrote it, with NTP (timedatectl)"
        )
    }
}
