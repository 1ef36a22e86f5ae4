import EventThread
import Kafka

/// Reads partitions from where they stand to where they ended when it began, a chunk at a time.
struct LogStretch {
    /// The cluster stopped answering, and nothing arrived for too long.
    struct Stalled: Error, CustomStringConvertible {
        var cause: KafkaError?

        var description: String {
            "the cluster sends nothing more\(self.cause.map { ": \($0.description)" } ?? "")"
        }
    }

    let log: LogReader
    /// From the first offset that is wanted to the one where it ends.
    let ranges: [TopicPartition: Range<Int64>]
    /// How long nothing may arrive before it is given up.
    let patience: Duration

    /// Of records that are lent between two calls of `chunk`.
    static let chunkLimit = 20_000

    /// - Parameters:
    ///   - visit: lent each record in turn.
    ///   - chunk: told, every so often and at the end, up to where each partition has been read.
    func read(
        _ visit: (TopicPartition, borrowing RecordView) -> Void,
        _ chunk: ([TopicPartition: Int64]) throws -> Void
    ) throws {
        let ranges = self.ranges.filter { !$0.value.isEmpty }
        guard !ranges.isEmpty else { return }
        try self.log.start(at: ranges.mapValues(\.lowerBound))
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
                // What was published after it began is for the next time.
                guard record.offset < ends[place] else { return next[place] = ends[place] }
                next[place] = record.offset + 1
                visit(partitions[place], record)
            } _: { error in
                failure = error
            }
            if let failure, failure.isFatal { throw failure }
            for place in open {
                // What a transaction that is not over holds back stands behind this end, and is for the next time.
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

    /// How long nothing has arrived.
    private struct Patience {
        private let longest: Duration
        private var lastArrival = ContinuousClock.now
        private var isDisappointed = true
        private var failure: KafkaError?

        init(_ longest: Duration) { self.longest = longest }

        mutating func renew() {
            self.lastArrival = .now
            self.isDisappointed = false
            self.failure = nil
        }

        /// Whether something has arrived since the last call.
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
