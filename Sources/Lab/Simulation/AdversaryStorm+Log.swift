import ServiceKit
import WorkerKit

// Harm to the log of the input topic: an operator deletes the topic and makes it again, a broker loses the newest records.
extension AdversaryStorm {
    func planFault(_ kind: AdversaryKind) {
        switch kind {
        case .madeAnew: self.harmWhileNoWorkerRuns { [unowned self] in self.makeTheTopicAnew() }
        case .truncated: self.harmWhileNoWorkerRuns { [unowned self] in self.truncateTheTopic() }
        default: self.planUsualFault(kind)
        }
    }

    /// Deletes the topic and makes it again. Most partitions have more records at once than the group had committed of
    /// the old ones, so that no offset is out of range.
    private func makeTheTopicAnew() {
        self.timeline.narrator?.tell("operator", "deletes the topic and makes it again")
        let committed = (0..<Int32(self.cluster.partitions)).map { self.cluster.committedOffset($0) ?? 0 }
        self.cluster.makeAnew()
        self.honest.judge.topicMadeAnew()
        for (partition, offset) in committed.enumerated() {
            if self.chance(0.3) { self.appendMarkers(to: Int32(partition)) }
            let count = Int(offset) + Int.random(in: 1...20, using: &self.random)
            // Some partitions stay empty at first.
            if self.chance(0.8) { self.honest.publishAtOnce(count, to: Int32(partition)) }
            self.groupMoved(from: offset, in: Int32(partition))
        }
        // All records are new, and take the workers' time: 50 ms for each of them.
        self.excuse(self.takeover + .milliseconds(50 * self.cluster.inputs.count))
    }

    /// Deletes the newest records of the partitions. Most of the partitions get new records at once, so that they are not
    /// too short, or only for a while.
    private func truncateTheTopic() {
        for partition in 0..<Int32(self.cluster.partitions) {
            // Sometimes only marks of transactions at the end are lost.
            let lost = Int64.random(in: self.chance(0.3) ? 0...2 : 0...60, using: &self.random)
            let end = max(0, self.cluster.end(of: partition) - lost)
            self.timeline.narrator?.tell("broker", "loses the records of \(partition) from \(end) on")
            self.cluster.cutOff(partition, at: end)
            self.groupMoved(from: self.cluster.committedOffset(partition) ?? 0, in: partition)
            self.honest.judge.forgetRecords { $0.partition == partition && $0.offset >= end }
            if self.chance(0.3) {
                if self.chance(0.5) {
                    self.honest.publishAtOnce(.random(in: 1...5, using: &self.random), to: partition)
                }
                self.appendMarkers(to: partition)
            }
            guard self.chance(0.8) else { continue }
            self.honest.publishAtOnce(.random(in: 1...80, using: &self.random), to: partition)
        }
        // It takes ten seconds until a log counts as too short. All records may be done again then, and take the
        // workers' time: 50 ms for each of them.
        self.excuse(self.takeover * 2 + .seconds(10) + .milliseconds(50 * self.cluster.inputs.count))
    }

    private func appendMarkers(to partition: Int32) {
        for _ in 0..<Int.random(in: 1...30, using: &self.random) { self.appendMarker(to: partition) }
    }

    /// Appends a mark of a transaction, but never in place of the landmark: nothing could be compared with it then, as
    /// where retention has removed it.
    func appendMarker(to partition: Int32) {
        guard self.cluster.end(of: partition) != self.landmark(in: partition) else { return }
        self.cluster.appendMarker(to: partition)
    }

    /// Returns the offset of the record before the group's position in a partition that the commit names; nil if it names
    /// none.
    private func landmark(in partition: Int32) -> Int64? {
        guard let offset = self.cluster.committedOffset(partition) else { return nil }
        let place = PartitionMark(clusterID: self.cluster.id, SimulatedCluster.input(partition))
        return try? ProgressMetadata(self.cluster.committedText(partition), at: place, from: offset).landmark?
            .offset
    }
}
