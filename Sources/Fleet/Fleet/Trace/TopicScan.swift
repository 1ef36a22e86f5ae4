import DeadLetters
import Kafka
import Records
import ServiceKit

/// Reads a worker's topics for a trace, within bounds.
struct TopicScan {
    /// A reason to stop before the end of the topics.
    private enum Bound: Error { case reached }

    let log: LogReader
    /// The partitions to read, and the role of their topics.
    let partitions: [TopicPartition: LifeReader.Role]
    /// The longest time that the cluster may take to answer a request.
    let patience: Duration
    /// The most records that are read in all.
    let recordLimit: Int
    /// The time at which reading ends, by the monotonic clock.
    let deadline: Int64
    private(set) var recordsRead = 0
    /// Whether a bound ended the reading.
    private(set) var isCut = false

    /// Prepares a scan.
    ///
    /// - Parameters:
    ///   - patience: the longest time that the cluster may take to answer a request.
    ///   - recordLimit: the most records that are read in all.
    ///   - deadline: the end of the reading, by the monotonic clock.
    init(
        _ log: LogReader,
        _ partitions: [TopicPartition: LifeReader.Role],
        patience: Duration,
        recordLimit: Int,
        deadline: Int64
    ) {
        self.log = log
        self.partitions = partitions
        self.patience = patience
        self.recordLimit = recordLimit
        self.deadline = deadline
    }

    /// Reads all records that are not older than a time.
    ///
    /// - Parameter since: milliseconds since 1970.
    mutating func read(since: Int64, _ take: (InboundRecord, LifeReader.Role) -> Void) throws {
        let bounds = try self.log.bounds(of: self.partitions.keys, atMost: self.patience)
        let starts = try self.log.offsets(
            notBefore: self.partitions.mapValues { _ in max(0, since) },
            atMost: self.patience
        )
        var ranges: [TopicPartition: Range<Int64>] = [:]
        for (partition, bounds) in bounds {
            // A partition without a record so late is read from its end on, which is nothing.
            let start = starts[partition].flatMap { $0 >= 0 ? $0 : nil } ?? bounds.upperBound
            ranges[partition] = max(bounds.lowerBound, min(start, bounds.upperBound))..<bounds.upperBound
        }
        try self.read(ranges, take)
    }

    /// Reads single records, as far as they are still there.
    mutating func read(
        at places: some Sequence<RecordPlace>,
        _ take: (InboundRecord, LifeReader.Role) -> Void
    )
        throws
    {
        var wanted: [TopicPartition: [Int64]] = [:]
        for place in places {
            let partition = TopicPartition(topic: place.topic, partition: place.partition)
            if self.partitions[partition] != nil { wanted[partition, default: []].append(place.offset) }
        }
        guard !wanted.isEmpty else { return }
        let bounds = try self.log.bounds(of: wanted.keys, atMost: self.patience)
        // A reader reads one range of a partition at a time.
        while !wanted.isEmpty, !self.isCut {
            var ranges: [TopicPartition: Range<Int64>] = [:]
            for (partition, offsets) in wanted {
                guard let offset = offsets.last else { continue }
                if bounds[partition]?.contains(offset) == true { ranges[partition] = offset..<offset + 1 }
            }
            wanted = wanted.compactMapValues { $0.count > 1 ? $0.dropLast() : nil }
            try self.read(ranges, take)
        }
    }

    private mutating func read(
        _ ranges: [TopicPartition: Range<Int64>],
        _ take: (InboundRecord, LifeReader.Role) -> Void
    ) throws {
        var count = self.recordsRead
        defer { self.recordsRead = count }
        let (limit, deadline, roles) = (self.recordLimit, self.deadline, self.partitions)
        do {
            try LogStretch(log: self.log, ranges: ranges, patience: self.patience).read { partition, record in
                guard count < limit, let role = roles[partition] else { return }
                count += 1
                take(record.copy(), role)
            } _: { _ in
                if count >= limit || Moment.now.monotonic >= deadline { throw Bound.reached }
            }
        } catch is Bound {
            self.isCut = true
        }
    }
}
