extension Node {
    private struct Commit {
        var partition: Int32
        var offset: CommittedOffset

        init(reading reader: inout Reader, withEpoch: Bool) throws(Malformed) {
            self.partition = try reader.int32()
            let offset = try reader.int64()
            let epoch = withEpoch ? try reader.int32() : -1
            let metadata = try reader.nullableString() ?? ""
            try reader.endStructure()
            self.offset = CommittedOffset(offset: offset, leaderEpoch: epoch, metadata: metadata)
        }
    }

    private typealias Results = [TopicEntries<(partition: Int32, error: ErrorCode?)>]

    // MARK: OffsetCommit

    func offsetCommit(_ call: Call) throws(Malformed) {
        let version = call.version
        let groupID = try call.body.string()
        let generation = try call.body.int32()
        let memberID = try call.body.string()
        let instanceID = version >= 7 ? try call.body.nullableString() : nil
        if version <= 4 { _ = try call.body.int64() }  // The retention time: not used.
        let commits = try call.body.topics { (reader) throws(Malformed) in
            try Commit(reading: &reader, withEpoch: version >= 6)
        }
        let results = self.committed(commits, for: groupID, of: call) { group in
            group.refusal(ofCommitBy: memberID, instance: instanceID, generation: generation)
        } store: { group, partition, offset in
            group.offsets.commit(offset, for: partition)
        } unknown: {
            generation < 0 ? nil : .illegalGeneration
        }
        Self.answer(call, results, withThrottle: version >= 3)
    }

    // MARK: TxnOffsetCommit

    func transactionalOffsetCommit(_ call: Call) throws(Malformed) {
        let version = call.version
        let id = try call.body.string()
        let groupID = try call.body.string()
        let producer = ProducerIdentity(id: try call.body.int64(), epoch: try call.body.int16())
        let generation = version >= 3 ? try call.body.int32() : -1
        let memberID = version >= 3 ? try call.body.string() : ""
        let instanceID = version >= 3 ? try call.body.nullableString() : nil
        let commits = try call.body.topics { (reader) throws(Malformed) in
            try Commit(reading: &reader, withEpoch: version >= 2)
        }
        let results = self.committed(commits, for: groupID, of: call, in: id) { group in
            group.refusal(ofTransactionalCommitBy: memberID, instance: instanceID, generation: generation)
                ?? self.transactions.refusal(ofCommitting: groupID, in: id, by: producer)
        } store: { group, partition, offset in
            group.offsets.add(offset, for: partition, by: producer.id)
        } unknown: {
            nil
        }
        Self.answer(call, results, withThrottle: true)
    }

    /// Stores the offsets that are accepted, and returns the result of each partition.
    ///
    /// - Parameters:
    ///   - refusal: the error for all partitions if the group refuses the commit, or nil.
    ///   - store: stores one accepted offset.
    ///   - unknown: the error for all partitions if the group does not exist, or nil to create it.
    private func committed(
        _ commits: [TopicEntries<Commit>],
        for groupID: String,
        of call: Call,
        in transactionalID: String? = nil,
        refusal: (Group) -> ErrorCode?,
        store: (Group, TopicPartition, CommittedOffset) -> Void,
        unknown: () -> ErrorCode?
    ) -> Results {
        var group: Group?
        var error =
            transactionalID.flatMap { self.refusal(of: call, .write, transactionalID: $0) }
            ?? self.refusal(of: call, .read, group: groupID)
        if let error { return commits.map { topic in topic.map { ($1.partition, error) } } }
        // As in Kafka, the group does not learn of a commit in which no topic and partition is usable.
        guard commits.contains(where: { self.isUsable($0, by: call) }) else {
            return commits.map { topic in
                topic.map {
                    ($1.partition, self.refusal(of: call, .read, topic: $0) ?? .unknownTopicOrPartition)
                }
            }
        }
        error = self.coordinatorError
        if error == nil, self.groups[groupID] == nil { error = unknown() }
        if error == nil {
            switch self.group(groupID) {
            case .success(let known):
                group = known
                error = refusal(known)
            case .failure(let failure): error = failure
            }
        }
        return commits.map { topic in
            topic.map { name, commit in
                let partition = TopicPartition(topic: name, partition: commit.partition)
                if let error = self.refusal(of: call, .read, topic: name) { return (commit.partition, error) }
                guard error == nil, let group else { return (commit.partition, error ?? .unknown) }
                guard self.partition(partition) != nil else {
                    return (commit.partition, .unknownTopicOrPartition)
                }
                guard commit.offset.metadata.utf8.count <= self.settings.offsetMetadataByteLimit else {
                    return (commit.partition, .offsetMetadataTooLarge)
                }
                store(group, partition, commit.offset)
                return (commit.partition, nil)
            }
        }
    }

    private func isUsable(_ topic: TopicEntries<Commit>, by call: Call) -> Bool {
        self.allows(call, .read, on: .topic, named: topic.topic)
            && topic.entries.contains {
                self.partition(TopicPartition(topic: topic.topic, partition: $0.partition)) != nil
            }
    }

    private static func answer(_ call: Call, _ results: Results, withThrottle: Bool) {
        call.answer { writer in
            if withThrottle { writer.noThrottle() }
            writer.topics(results) { writer, result in
                writer.integer(result.partition)
                writer.error(result.error)
            }
            writer.endStructure()
        }
    }

    // MARK: OffsetFetch

    private struct Committed {
        var partition: Int32
        var offset: CommittedOffset
        var error: ErrorCode?
    }

    func offsetFetch(_ call: Call) throws(Malformed) {
        let version = call.version
        let groupID = try call.body.string()
        let wanted = try call.body.nullableTopics { (reader) throws(Malformed) in try reader.int32() }
        let mustBeStable = version >= 7 ? try call.body.boolean() : false
        let offsets = self.groups[groupID]?.offsets ?? GroupOffsets()
        let error = self.refusal(of: call, .describe, group: groupID) ?? self.coordinatorError
        let all = {
            Self.byTopic(offsets.partitions).filter {
                self.allows(call, .describe, on: .topic, named: $0.topic)
            }
        }
        let found = (wanted ?? all()).map { topic in
            topic.map { name, index in
                let partition = TopicPartition(topic: name, partition: index)
                let nothing = CommittedOffset(offset: -1, metadata: "")
                if let error = error ?? self.refusal(of: call, .describe, topic: name) {
                    return Committed(partition: index, offset: nothing, error: error)
                }
                if mustBeStable, offsets.isUndecided(partition) {
                    return Committed(partition: index, offset: nothing, error: .unstableOffsetCommit)
                }
                return Committed(partition: index, offset: offsets.committed[partition] ?? nothing)
            }
        }
        call.answer { writer in
            if version >= 3 { writer.noThrottle() }
            writer.topics(found) { writer, committed in
                writer.integer(committed.partition)
                writer.integer(committed.offset.offset)
                if version >= 5 { writer.integer(committed.offset.leaderEpoch) }
                writer.string(committed.offset.metadata)
                writer.error(committed.error)
            }
            if version >= 2 { writer.error(error) }
            writer.endStructure()
        }
    }

    private static func byTopic(_ partitions: [TopicPartition]) -> [TopicEntries<Int32>] {
        var topics: [TopicEntries<Int32>] = []
        for partition in partitions {
            if topics.last?.topic != partition.topic {
                topics.append(TopicEntries(topic: partition.topic, entries: []))
            }
            topics[topics.count - 1].entries.append(partition.partition)
        }
        return topics
    }
}
