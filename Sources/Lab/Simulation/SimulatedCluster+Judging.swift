import Kafka
import Records
import ServiceKit
import WireFormats
import WorkerKit

// The checks of records and commits. Each broken promise is added to `violations`.
extension SimulatedCluster {
    // MARK: - Outcomes

    /// Checks an outcome that readers are about to see.
    func judge(_ outcome: SimulatedOutcome) {
        if self.outcomes[outcome.name] == nil { self.judgeOrder(of: outcome) }
        self.judgeExpiry(of: outcome)
    }

    /// Checks that every earlier record of the same order has an outcome before readers see the first outcome
    /// of this record.
    private func judgeOrder(of outcome: SimulatedOutcome) {
        for earlier in self.predecessors(of: outcome.offset, in: outcome.partition) {
            let name = RecordName(partition: outcome.partition, offset: earlier)
            guard self.outcomes[name] == nil else { continue }
            self.violations.append("the outcome of \(outcome.id) is to be seen before that of \(earlier)")
        }
    }

    private func judgeExpiry(of outcome: SimulatedOutcome) {
        guard outcome.fate == "expired", !self.clock.hasTimeBeenStepped else { return }
        guard let deadline = self.deadline(outcome.offset, in: outcome.partition) else { return }
        let early = deadline.addingClamped(-self.clock.now.wall)
        if early > 0 { self.violations.append("\(outcome.id) has expired \(early) ms early") }
    }

    /// Checks that readers see one outcome of a record only, where that is promised.
    func judgeRepetition(of outcome: SimulatedOutcome) {
        guard self.isExactlyOnce, self.outcomes[outcome.name]?.count ?? 0 > 1 else { return }
        self.violations.append("\(outcome.id) has two outcomes that are to be seen")
    }

    /// Checks that the broker has stored a dead letter before an outcome that names it is sent.
    func judgeSend(_ record: OutboundRecord) {
        guard let outcome = SimulatedOutcome(record), outcome.fate == "dead_lettered" else { return }
        if self.letters[outcome.deadLetterID] == nil {
            self.violations.append("\(outcome.id) was sent before its dead letter was written")
        }
    }

    /// Checks that a parked record has its outcome, or went on to a retry topic, before its ticket ends.
    func judgeEndOfTicket(_ name: RecordName) {
        let isForwarded = self.visible.wasForwarded("\(Self.topic)/\(name.partition)/\(name.offset)")
        guard self.outcomes[name] == nil, !isForwarded else { return }
        self.violations.append(
            "the ticket of \(name.partition)/\(name.offset) is taken back before its outcome"
        )
    }

    /// Returns the offsets of the input's records that must be settled before this one.
    func predecessors(of offset: Int64, in partition: Int32) -> [Int64] {
        let all = self.logs.predecessors(of: offset, in: partition, by: self.ordering)
        guard !self.skipped.isEmpty else { return all }
        return all.filter { !self.skipped.contains(RecordName(partition: partition, offset: $0)) }
    }

    /// Returns the wall-clock time at which the deadline of a record of the input passes; nil if there is no
    /// such record.
    func deadline(_ offset: Int64, in partition: Int32) -> Int64? {
        self.logs[input: partition]?.record(at: offset)?.timestamp
            .map { $0.addingClamped(self.deadline.wholeMilliseconds) }
    }

    // MARK: - Commits

    /// Checks that a commit passes no record that is unfinished, and that its metadata speaks of finished
    /// records only.
    func judge(_ position: CommittedPosition) {
        let offset = position.offset ?? 0
        let log = self.logs[position.partition] ?? SimulatedLog()
        // Records before an earlier commit were checked with that commit.
        let judged = min(self.stored[position.partition]?.offset ?? 0, offset)
        for record in log.records[log.index(of: judged)..<log.index(of: offset)] where !self.isDone(record) {
            self.violations.append("\(position.partition) committed at \(offset), past \(record.offset)")
        }
        // A stream engine stores text of its own there, which is not checked.
        guard self.streams == nil else { return }
        if position.metadata.utf8.count > 4_096 { self.violations.append("metadata too long") }
        let place = PartitionMark(clusterID: self.id, position.partition)
        guard let metadata = try? ProgressMetadata(position.metadata, at: place, from: offset) else {
            return self.violations.append("metadata that nobody can read: \(position.metadata)")
        }
        for beyond in self.newlyFinished(metadata.finished, in: position.partition) {
            guard let record = log.record(at: beyond), !self.isDone(record) else { continue }
            self.violations.append("\(position.partition) remembers \(beyond) as finished")
        }
    }

    /// Returns the offsets that the last commit of the partition did not report as finished. The offsets must
    /// be in ascending order.
    ///
    /// There can be thousands of them, and an offset that was finished at the last commit is still finished.
    private func newlyFinished(_ offsets: [Int64], in partition: TopicPartition) -> [Int64] {
        var known = (self.rememberedAsFinished[partition] ?? [])[...]
        self.rememberedAsFinished[partition] = offsets
        return offsets.filter { offset in
            while let first = known.first, first < offset { known.removeFirst() }
            return known.first != offset
        }
    }

    /// Returns whether no worker has to read this record again, because it has an outcome, is parked, or was
    /// copied to a retry topic.
    private func isDone(_ record: InboundRecord) -> Bool {
        if let name = self.originName(of: record), self.outcomes[name] != nil || self.tickets.contains(name) {
            return true
        }
        return self.streams?.names.contains(record.topic) == true
            || self.visible.wasForwarded(record.place)
    }
}
