import Kafka
package import Records

extension ClusterReader {
    /// A partition as the index knows it.
    struct ReadPartition {
        var topic: String
        /// The row id of the partition in the index.
        var id: Int64
    }

    /// Reads partitions from the offsets up to which the index has read them to their present ends.
    ///
    /// - Parameters:
    ///   - first: the offsets at which partitions begin that the index does not know yet; by default that of
    ///     the oldest record.
    ///   - checksAnchors: whether to check that the last letter that was read is still the same. If it is
    ///     not, the topic was created again, and the index forgets the partition's letters.
    ///   - visit: is lent each record in turn.
    ///   - write: called after each chunk, with the old and the new offset of each partition by its row id.
    ///   - progress: told after each chunk how far the read has come.
    func read(
        _ partitions: [TopicPartition],
        startingAt first: [TopicPartition: Int64] = [:],
        checksAnchors: Bool = false,
        _ visit: (ReadPartition, borrowing RecordView) -> Void,
        write: ([Int64: ClosedRange<Int64>]) throws -> Void,
        progress: (Progress) -> Void = { _ in }
    ) throws {
        guard !partitions.isEmpty else { return }
        let bounds = try self.log.bounds(of: partitions, atMost: self.settings.patience)
        var stands = try self.index.stands(
            of: Dictionary(
                uniqueKeysWithValues: partitions.map { ($0, first[$0] ?? bounds[$0]?.lowerBound ?? 0) }
            )
        )
        if checksAnchors { try self.settleAnchors(bounds, &stands) }
        for (partition, stand) in stands {
            // The partition is shorter than the index has read, so the topic was created again. It is read
            // from its beginning.
            guard let bounds = bounds[partition], stand.next > bounds.upperBound else { continue }
            try self.index.restart(stand, at: bounds.lowerBound)
            stands[partition]?.next = bounds.lowerBound
        }
        let ranges = stands.compactMapValues { _ in 0..<0 }.merging(
            bounds.compactMap { partition, bounds in
                stands[partition].map { stand in
                    (partition, max(stand.next, bounds.lowerBound)..<max(stand.next, bounds.upperBound))
                }
            }
        ) { $1 }
        let total = ranges.values.reduce(0) { $0 + Int64($1.count) }
        guard total > 0 else { return }
        var done: Int64 = 0
        let known = stands.mapValues(\.id)
        // Consecutive records mostly belong to one partition, so the last one is kept instead of being looked
        // up.
        var last: (partition: TopicPartition, read: ReadPartition)?
        try LogStretch(log: self.log, ranges: ranges, patience: self.settings.patience).read {
            partition,
            record in
            if let last, last.partition == partition { return visit(last.read, record) }
            guard let id = known[partition] else { return }
            let read = ReadPartition(topic: partition.topic, id: id)
            last = (partition, read)
            visit(read, record)
        } _: { next in
            var moves: [Int64: ClosedRange<Int64>] = [:]
            for (partition, at) in next {
                guard let stand = stands[partition], at > stand.next else { continue }
                moves[stand.id] = stand.next...at
                done += at - max(stand.next, ranges[partition]?.lowerBound ?? 0)
                stands[partition]?.next = at
            }
            try write(moves)
            progress(Progress(done: done, total: total))
        }
    }

    /// Removes the letters that the broker has deleted, and all letters of partitions whose topic was created
    /// again.
    private func settleAnchors(
        _ bounds: [TopicPartition: Range<Int64>],
        _ stands: inout [TopicPartition: LetterIndex.Stand]
    ) throws {
        var anchors: [TopicPartition: LetterIndex.Anchor] = [:]
        for (partition, bounds) in bounds {
            guard let stand = stands[partition] else { continue }
            if stand.next > bounds.upperBound {
                try self.forget(partition, stand, bounds: bounds, in: &stands)
                continue
            }
            try self.index.prune(stand, before: bounds.lowerBound)
            if stand.next < bounds.upperBound, let anchor = try self.index.lastLetter(of: stand),
                anchor.offset >= bounds.lowerBound
            {
                anchors[partition] = anchor
            }
        }
        guard !anchors.isEmpty else { return }
        var reader = LetterReader(clusterID: self.clusterID)
        var marker = LetterMarker(clusterID: self.clusterID, mark: self.mark)
        var found: Set<TopicPartition> = []
        let ranges = anchors.mapValues { $0.offset..<$0.offset + 1 }
        try LogStretch(log: self.log, ranges: ranges, patience: self.settings.patience).read {
            partition,
            record in
            guard let anchor = anchors[partition], record.offset == anchor.offset else { return }
            let row = reader.row(of: record, in: partition.topic, partition: 0).row
            // An id that is made of the letter's position is the same in a topic that was created again, so
            // the time is compared too.
            guard row.at == anchor.at, marker.id(row.claim, at: row.position) == anchor.id else { return }
            found.insert(partition)
        } _: { _ in
        }
        for partition in anchors.keys where !found.contains(partition) {
            guard let stand = stands[partition], let bounds = bounds[partition] else { continue }
            try self.forget(partition, stand, bounds: bounds, in: &stands)
        }
    }

    /// Removes all letters of a partition from the index, and lets it be read from its first record on.
    private func forget(
        _ partition: TopicPartition,
        _ stand: LetterIndex.Stand,
        bounds: Range<Int64>,
        in stands: inout [TopicPartition: LetterIndex.Stand]
    ) throws {
        try self.index.forget(stand, restartingAt: bounds.lowerBound)
        stands[partition]?.next = bounds.lowerBound
    }

    /// Fetches single records. A record that the broker has deleted is missing from the result.
    ///
    /// - Throws: `KafkaError` or `LogStretch.Stalled` if the cluster does not answer in time.
    package func records(at positions: [LetterPosition]) throws -> [LetterPosition: InboundRecord] {
        var found: [LetterPosition: InboundRecord] = [:]
        try self.visit(positions) { position, record in found[position] = record.copy() }
        return found
    }

    /// Lends single records to the caller, in the order of their offsets within each partition. Records that
    /// the broker has deleted are left out.
    func visit(_ positions: [LetterPosition], _ take: (LetterPosition, borrowing RecordView) -> Void) throws {
        var wanted: [TopicPartition: Set<Int64>] = [:]
        for position in positions { wanted[position.topicPartition, default: []].insert(position.offset) }
        var ranges: [TopicPartition: [Range<Int64>]] = [:]
        for (partition, bounds) in try self.log.bounds(of: wanted.keys, atMost: self.settings.patience) {
            ranges[partition] = Self.stretches((wanted[partition] ?? []).filter { bounds.contains($0) })
        }
        // A reader reads one range of a partition at a time, so each round takes the next range of every
        // partition.
        while !ranges.isEmpty {
            let round = ranges.compactMapValues(\.first)
            try LogStretch(log: self.log, ranges: round, patience: self.settings.patience).read {
                partition,
                record in
                guard wanted[partition]?.contains(record.offset) == true else { return }
                take(
                    LetterPosition(
                        topic: partition.topic,
                        partition: partition.partition,
                        offset: record.offset
                    ),
                    record
                )
            } _: { _ in
            }
            ranges = ranges.compactMapValues { $0.count > 1 ? Array($0.dropFirst()) : nil }
        }
    }

    /// The number of unwanted offsets that are read and skipped rather than splitting a range in two.
    private static let gapLimit: Int64 = 5_000

    /// Joins offsets into ranges; offsets that are not further apart than `gapLimit` share a range.
    static func stretches(_ offsets: some Sequence<Int64>) -> [Range<Int64>] {
        var stretches: [Range<Int64>] = []
        for offset in offsets.sorted() {
            if let last = stretches.last, offset - last.upperBound <= Self.gapLimit {
                stretches[stretches.count - 1] = last.lowerBound..<offset + 1
            } else {
                stretches.append(offset..<offset + 1)
            }
        }
        return stretches
    }
}
