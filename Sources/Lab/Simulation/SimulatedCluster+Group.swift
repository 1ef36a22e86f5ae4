import Kafka
import Records

// The consumer group: its members and its committed positions.
extension SimulatedCluster {
    func join(_ member: SimulatedBroker) {
        self.members.append(member)
        self.rebalance()
    }

    /// Asks every member for its partitions. They are assigned anew when the last member has answered.
    package func rebalance() {
        for member in self.members { member.askForPartitions(isLost: false) }
        self.dealIfAllAnswered()
    }

    /// Removes a member that has died or left.
    func remove(_ member: SimulatedBroker) {
        self.members.removeAll { $0 === member }
        self.rebalance()
    }

    /// Expels a member that the group treats as dead. The member learns of it.
    package func expel(_ member: SimulatedBroker) {
        member.askForPartitions(isLost: true)
        self.rebalance()
    }

    func dealIfAllAnswered() {
        guard !self.members.isEmpty, self.members.allSatisfy({ $0.canBeDealtTo }) else { return }
        self.generation += 1
        var hands = [[TopicPartition]](repeating: [], count: self.members.count)
        for (index, partition) in self.logs.partitions.sorted().enumerated() {
            hands[(index + self.generation) % hands.count].append(partition)
        }
        for (member, hand) in zip(self.members, hands) { member.deal(hand, in: self.generation) }
    }

    // MARK: - Commits

    func store(_ positions: [CommittedPosition]) {
        self.commits += 1
        for position in positions {
            self.judge(position)
            self.stored[position.partition] = position
        }
    }

    /// The committed offset of a partition of the input; nil if there is none.
    package func committedOffset(_ partition: Int32 = 0) -> Int64? {
        self.stored[Self.input(partition)]?.offset
    }

    /// Returns the text that the group has stored with its committed offset.
    func committedText(_ partition: Int32) -> String { self.stored[Self.input(partition)]?.metadata ?? "" }

    /// Whether the group has committed every partition with records up to its end.
    package var isEverythingCommitted: Bool {
        self.logs.allSatisfy { partition, log in
            log.records.isEmpty || self.stored[partition]?.offset == log.end
        }
    }

    /// Changes the committed position of a partition that no member has, as an operator or a mirror does.
    ///
    /// Records without an outcome between the old position and a higher new one count as skipped, unless they
    /// are parked.
    ///
    /// - Parameter metadata: the text that is stored with the offset. Nil keeps the text that is there, as
    ///   many tools do.
    package func moveGroup(in partition: Int32, to offset: Int64, metadata: String? = nil) {
        let place = Self.input(partition)
        let earlier = self.stored[place]
        for record in self.logs[place]?.records ?? [] where record.offset < offset {
            let name = RecordName(partition: partition, offset: record.offset)
            guard self.outcomes[name] == nil, !self.tickets.contains(name) else { continue }
            if record.offset >= earlier?.offset ?? 0 { self.visible.skip(name) }
        }
        self.stored[place] = CommittedPosition(
            partition: place,
            offset: offset,
            metadata: metadata ?? earlier?.metadata ?? ""
        )
    }
}
