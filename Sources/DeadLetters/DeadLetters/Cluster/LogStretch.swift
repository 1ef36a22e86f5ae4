import EventThread
package import Kafka

/// Reads ranges of partitions once, and reports the progress chunk by chunk.
///
/// The ranges are fixed when reading begins, so a topic that grows meanwhile does not keep the reader busy.
package struct LogStretch {
    /// The cluster has sent nothing for longer than `patience`.
    package struct Stalled: Error, CustomStringConvertible {
        /// The last error of the client since the last record; nil if there was none.
        var cause: KafkaError?

        package var description: String {
            "the cluster sends nothing more\(self.cause.map { ": \($0.description)" } ?? "")"
        }
    }

    let log: LogReader
    /// The offsets to read: from the first one to the one before the range's end.
    let ranges: [TopicPartition: Range<Int64>]
    /// The longest time without any record before reading fails.
    let patience: Duration

    /// The number of records after which `chunk` is called. One visit may exceed it by up to 4,096 records.
    static let chunkLimit = 20_000

    /// Describes what is to be read.
    package init(log: LogReader, ranges: [TopicPartition: Range<Int64>], patience: Duration) {
        self.log = log
        self.ranges = ranges
        self.patience = patience
    }

    /// Reads all ranges to their ends. Blocks the thread until then.
    ///
    /// - Parameters:
    ///   - visit: is lent each record in turn; it must not keep it.
    ///   - chunk: told, after every chunk and at the end, the next offset of each partition.
    /// - Throws: `Stalled` if nothing arrives for too long, a fatal `KafkaError`, and errors of `chunk`.
    package func read(
        _ visit: (TopicPartition, borrowing RecordView) -> Void,
        _ chunk: ([TopicPartition: Int64]) throws -> Void
    ) throws {
        let ranges = self.ranges.filter { !$0.value.isEmpty }
        guard !ranges.isEmpty else { return }
        try self.log.start(at: ranges.mapValues(\.lowerBound), atMost: self.patience)
        let partitions = self.log.partitions
        let ends = partitions.map { ranges[$0]?.upperBound ?? 0 }
        var next = partitions.map { ranges[$0]?.lowerBound ?? 0 }
        var open = Set(partitions.indices)
        var wait = Wait(on: [self.log.descriptor])
        var patience = Patience(self.patience)
        var taken = 0
        while !open.isEmpty {
            var failure: KafkaError?
            let count = self.log.visit(atMost: 4_096) { place, record in
                // A record that was published after the ranges were fixed is left for the next time.
                guard record.offset < ends[place] else { return next[place] = ends[place] }
                next[place] = record.offset + 1
                visit(partitions[place], record)
            } _: { error in
                failure = error
            }
            if let failure, failure.isFatal { throw failure }
            for place in open {
                // A record of an open transaction, and all records after it, are not delivered yet. They lie
                // behind this end, and are left for the next time.
                if let end = self.log.ends[place] { next[place] = min(max(end, next[place]), ends[place]) }
                if self.log.ends[place] != nil || next[place] >= ends[place] { open.remove(place) }
            }
            taken += count
            if taken >= Self.chunkLimit || open.isEmpty {
                try chunk(Dictionary(uniqueKeysWithValues: zip(partitions, next)))
                taken = 0
            }
            if count > 0 {
                patience.renew()
            } else if !open.isEmpty {
                if try patience.isFirstDisappointment(failure) {
                    self.log.hurry(open.map { partitions[$0] }, atMost: self.patience)
                }
                wait(atMost: .milliseconds(200))
            }
        }
        try self.log.stop()
    }

    /// Measures the time since the last record arrived.
    private struct Patience {
        private let longest: Duration
        private var lastArrival = ContinuousClock.now
        /// Whether a call of `isFirstDisappointment` has returned since the last arrival; true also before
        /// the first arrival.
        private var isDisappointed = true
        private var failure: KafkaError?

        init(_ longest: Duration) { self.longest = longest }

        /// Notes that records have arrived.
        mutating func renew() {
            self.lastArrival = .now
            self.isDisappointed = false
            self.failure = nil
        }

        /// Notes that no record has arrived; true at the first such call after an arrival.
        ///
        /// - Throws: `Stalled` if the last arrival is longer ago than allowed.
        mutating func isFirstDisappointment(_ failure: KafkaError?) throws -> Bool {
            self.failure = failure ?? self.failure
            guard ContinuousClock.now - self.lastArrival < self.longest else {
                throw Stalled(cause: self.failure)
            }
            defer { self.isDisappointed = true }
            return !self.isDisappointed
        }
    }
}
