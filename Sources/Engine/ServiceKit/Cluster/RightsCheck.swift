import EventThread
import Kafka

/// The check of a client's rights before its first record. Nothing is written or stored for it (`RightsProbe`).
///
/// A question that the cluster does not answer counts as a right that is there. Not asked for are the rights to the
/// offsets of a transaction and to DESCRIBE_CONFIGS, which a worker does without.
package struct RightsCheck {
    private let kafka: KafkaSettings
    private let broker: KafkaBroker
    private let notes: ClusterNotes
    private let longest: Duration

    /// - Parameters:
    ///   - broker: A client that is a member of no group yet.
    ///   - notes: The words of the cluster to this client so far.
    ///   - longest: The longest wait for the answers to one question.
    package init(
        _ kafka: KafkaSettings,
        of broker: KafkaBroker,
        notes: ClusterNotes,
        atMost longest: Duration
    ) {
        self.kafka = kafka
        self.broker = broker
        self.notes = notes
        self.longest = longest
    }

    /// Asks for the rights. Rights to write are asked for only if the cluster has answered a question about settings: a
    /// broker that cannot is no Apache Kafka, and might keep the record that asks.
    ///
    /// - Throws: `PreflightFailure`, with a sentence for each right that is missing.
    package func check(_ rights: [NeededRight]) throws {
        let needed = rights.filter { !$0.isOptional }
        // librdkafka repeats the commit twice before it tells the answer; meanwhile other clients ask.
        let commit = try self.askForGroup(needed)
        var missing = try self.missingTransactions(needed)
        if self.notes.isWhole { missing += try self.missingWrites(needed) }
        missing += try commit.map { try self.missingGroup($0.right, after: $0.id) } ?? []
        missing += try self.missingReads(needed)
        try self.notes.take(from: self.broker)
        // In the order of the table.
        var faults = needed.filter(missing.contains).map {
            $0.sentence(lackedBy: self.kafka.principal, at: self.kafka.brokers)
        }
        if self.notes.refusesProducer, !missing.contains(where: { $0.operation == .write }) {
            faults.append(
                "\(self.kafka.principal ?? "This client") has no IDEMPOTENT_WRITE on the cluster, which Kafka before 2.8 "
                    + "asks for. Allow it."
            )
        }
        guard !faults.isEmpty else { return }
        // The producer that was refused stays refused.
        throw PreflightFailure(faults: faults, mayPass: !self.notes.refusesProducer)
    }

    // MARK: - Questions

    private func askForGroup(_ needed: [NeededRight]) throws -> (right: NeededRight, id: UInt64)? {
        guard let right = needed.first(where: { $0.group != nil }),
            let topic = needed.lazy.compactMap(\.readTopic).first
        else { return nil }
        let id = UInt64.random(in: UInt64(UInt32.max)...UInt64(Int.max))
        self.notes.forgetGroup()
        try self.broker.commit([RightsProbe.position(in: topic)], id: id)
        return (right, id)
    }

    private func missingGroup(_ right: NeededRight, after commit: UInt64) throws -> [NeededRight] {
        var wait = Wait(on: [self.broker.consumer.descriptor])
        let deadline = Moment.now.after(self.longest)
        while Moment.now.monotonic < deadline {
            try self.notes.take(from: self.broker)
            if let answer = self.notes.takeAnswer(to: commit) { return answer == .refused ? [right] : [] }
            // Without the right to describe the group, librdkafka never learns whom to send the commit to.
            if self.notes.refusesGroup { return [right] }
            wait(atMost: .milliseconds(100))
        }
        return []
    }

    /// The metadata do not tell who may read: a broker names a topic also to a client that may only describe it.
    ///
    /// librdkafka tells an error of a partition once, until a fetch succeeds. So a topic that has been refused stays
    /// refused as long as it gives no other answer.
    private func missingReads(_ needed: [NeededRight]) throws -> [NeededRight] {
        let rights = needed.filter { $0.readTopic != nil }
        let ends = self.ends(of: Set(rights.compactMap(\.readTopic)))
        var unknown = try self.broker.consumer.assign(ends, atMost: self.longest)
        var pause = Wait(on: [self.broker.consumer.descriptor])
        let deadline = Moment.now.after(self.longest)
        while !unknown.isEmpty, Moment.now.monotonic < deadline {
            try self.notes.take(from: self.broker)
            unknown.removeAll { reader in
                var isAnswered = false
                var isRefused = false
                let count = reader.visit(atMost: 1) { _ in
                } _: { error in
                    isAnswered = true
                    isRefused = error.code == .topicNotAuthorized
                }
                guard isAnswered || count > 0 else { return false }
                self.notes.note(reader.partition.topic, isRefused: isRefused)
                return true
            }
            if !unknown.isEmpty { pause(atMost: .milliseconds(500)) }
        }
        try self.broker.consumer.unassign()
        return rights.filter { $0.readTopic.map(self.notes.refusedTopics.contains) ?? false }
    }

    /// Returns the end of the first partition of each topic, without the topics whose end the cluster does not tell.
    private func ends(of topics: Set<String>) -> [CommittedPosition] {
        let deadline = ContinuousClock.now + self.longest
        return topics.compactMap { topic in
            let partition = TopicPartition(topic: topic, partition: 0)
            let ends = try? self.broker.consumer.offsets(
                notBefore: [partition: LogReader.end],
                atMost: max(.zero, deadline - .now)
            )
            return ends?[partition].map { CommittedPosition(partition: partition, offset: $0) }
        }
    }

    private func missingWrites(_ needed: [NeededRight]) throws -> [NeededRight] {
        let rights = needed.filter { $0.writtenTopic != nil }
        let answers = try self.probe.writing(to: rights.compactMap(\.writtenTopic))
        return rights.filter { $0.writtenTopic.flatMap { answers[$0] } == .refused }
    }

    private func missingTransactions(_ needed: [NeededRight]) throws -> [NeededRight] {
        try needed.filter { right in
            guard let id = right.transactionalID else { return false }
            return try self.probe.transactions(as: id) == .refused
        }
    }

    private var probe: RightsProbe {
        let properties = self.kafka.producerProperties().merging(["log_level": "0"]) { $1 }
        return RightsProbe(properties, atMost: self.longest)
    }
}

extension NeededRight {
    fileprivate var group: String? { if case .group(let name) = self.resource { name } else { nil } }

    private var topic: String? { if case .topic(let name) = self.resource { name } else { nil } }

    fileprivate var readTopic: String? { self.operation == .read ? self.topic : nil }

    fileprivate var writtenTopic: String? { self.operation == .write ? self.topic : nil }

    /// The id to ask with. For a prefix, it is one that no process has.
    fileprivate var transactionalID: String? {
        switch self.resource {
        case .transactionalID(let id): id
        case .transactionalIDs(let prefix): "\(prefix)preflight"
        case .topic, .group: nil
        }
    }
}
