import Kafka
import Records

/// Judges the results of stream engines: each transaction when it becomes visible, and the state at the end.
final class StreamJudge {
    private unowned let cluster: SimulatedCluster
    private let topics: StreamTopics
    private let model: InputModel
    /// The groups as the committed changelog has them.
    private var groups: [Int32: [String: CountingTask.Group]] = [:]
    private var parts: [Part: Int] = [:]
    private var sums: [String: Sum] = [:]

    init(_ cluster: SimulatedCluster, _ topics: StreamTopics, model: InputModel) {
        self.cluster = cluster
        self.topics = topics
        self.model = model
        topics.judge = { [unowned self] in self.judge($0, $1) }
    }

    private func complain(_ complaint: String) { self.cluster.violations.append(complaint) }

    // MARK: - Transactions

    private func judge(_ records: [OutboundRecord], _ positions: [CommittedPosition]) {
        for record in records {
            switch record.topic {
            case CountingTask.changelog: self.judgeChange(record)
            case Part.topic: self.judgePart(record)
            case SummingTask.topic: self.judgeSum(record)
            default: self.judgeResult(record)
            }
        }
        for position in positions { self.judge(position) }
    }

    private func judgeResult(_ record: OutboundRecord) {
        // Dead letters and records that were sent on are judged by their consequences.
        guard record.topic == SimulatedCluster.topic + ".result" else { return }
        guard let outcome = SimulatedOutcome(record) else {
            return self.complain("\(record.summary) is nothing")
        }
        guard let event = self.model.event(outcome.offset, in: outcome.partition) else {
            return self.complain("\(outcome.id) is the outcome of nothing")
        }
        let allowed = self.answers(to: event, outcome)
        let answer = outcome.answer.isEmpty ? outcome.reason : outcome.answer
        if !allowed.contains(answer) {
            self.complain("\(outcome.id) is \(answer), and not \(allowed.joined(separator: " or "))")
        }
    }

    private func answers(to event: CountedEvent, _ outcome: SimulatedOutcome) -> [String] {
        switch event {
        case .item where !self.model.isHome(outcome.partition): return ["moved"]
        case .item:
            let name = outcome.name
            // If the group's position is set back, some records are answered a second time.
            let isAnsweredAgain = self.cluster.outcomes[name]?.count ?? 0 > 1
            let isFirst = self.model.isFirst(outcome.offset, in: outcome.partition)
            return [isFirst && !isAnsweredAgain ? "first" : "repeat"]
        case .stranger: return ["stranger", "too_many"]
        case .undecodable: return ["undecodable"]
        case .refused: return ["refused"]
        case .deadly: return ["crash_loop"]
        }
    }

    private func judgeChange(_ record: OutboundRecord) {
        let name = String(decoding: record.key ?? [], as: UTF8.self)
        let partition = record.partition ?? 0
        guard let group = CountingTask.Group(record.value) else {
            return self.complain("\(name) is no group")
        }
        let held = self.groups[partition]?[name]?.version ?? 0
        if group.version != held + 1 {
            self.complain("version \(group.version) of \(partition)/\(name) comes after \(held)")
        }
        self.groups[partition, default: [:]][name] = group
    }

    private func judgePart(_ record: OutboundRecord) {
        guard var part = Part(key: record.key, value: record.value) else { return self.complain("no part") }
        let (tellings, items) = (part.tellings, part.items)
        part.tellings = 0
        part.items = 0
        let held = self.parts[part] ?? 0
        if tellings != held + 1 {
            self.complain("part \(tellings) of \(part.source)/\(part.group), \(items), comes after \(held)")
        }
        self.parts[part] = tellings
    }

    private func judgeSum(_ record: OutboundRecord) {
        let name = String(decoding: record.key ?? [], as: UTF8.self)
        guard let sum = Sum(record.value) else { return self.complain("\(name) has no sum") }
        if let held = self.sums[name], sum.version < held.version || sum.items < held.items {
            self.complain("the sum of \(name) goes back from \(held) to \(sum)")
        }
        self.sums[name] = sum
    }

    private func judge(_ position: CommittedPosition) {
        let (partition, offset) = (position.partition, position.offset ?? 0)
        let lost = self.cluster.logs[partition]?.lost ?? 0..<0
        if let stored = self.cluster.stored[partition]?.offset, offset < stored,
            lost.isEmpty || offset < lost.lowerBound
        {
            self.complain("\(partition) goes back from \(stored) to \(offset)")
        }
        guard partition.topic == SimulatedCluster.topic else { return }
        let items = (self.groups[partition.partition] ?? [:]).values.reduce(0) { $0 + $1.items.count }
        let expected = self.model.items(before: offset, in: partition.partition)
        if items != expected {
            self.complain(
                "\(partition) stands at \(offset), and its changelog has \(items) items of \(expected)"
            )
        }
    }

    // MARK: - The end

    /// Whether everything that was counted has been reported and added up.
    var isEverythingTold: Bool { self.sums == self.expectedSums }

    private var expectedSums: [String: Sum] {
        var sums: [String: Sum] = [:]
        for partition in 0..<Int32(self.cluster.partitions) {
            for (name, items) in self.model.groups(in: partition) {
                var sum = sums[name] ?? Sum([:])
                sum.items += items.count
                sum.version += self.groups[partition]?[name]?.tellings ?? 0
                sums[name] = sum
            }
        }
        return sums
    }

    /// Compares the state that a new owner would read back with the input.
    func judgeTheEnd() {
        for number in 0..<Int32(self.cluster.partitions) {
            var groups: [String: Set<String>] = [:]
            let changelog = TopicPartition(topic: CountingTask.changelog, partition: number)
            for record in self.topics.records(of: changelog) {
                groups[String(decoding: record.key ?? [], as: UTF8.self)] =
                    CountingTask.Group(record.value)?.items
            }
            if groups != self.model.groups(in: number) {
                self.complain("the changelog of \(number) tells another story than the input")
            }
        }
        let expected = self.expectedSums
        for name in Set(self.sums.keys).union(expected.keys).sorted() where self.sums[name] != expected[name]
        {
            self.complain("the sum of \(name) is not that of the input")
        }
    }
}
