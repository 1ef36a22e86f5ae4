internal import NIOCore

extension Node {
    private struct FetchRequest {
        struct Entry {
            var partition: Int32
            var offset: Int64
            var byteLimit: Int32
        }

        var longestWait: Duration
        var leastBytes: Int32
        var mostBytes: Int32
        var isolation: Isolation
        var sessionID: Int32 = 0
        var topics: [TopicEntries<Entry>]

        init(reading call: Call) throws(Malformed) {
            let version = call.version
            _ = try call.body.int32()  // The id of the replica that asks; -1 for a client.
            self.longestWait = min(try call.body.duration(), .seconds(60))
            self.leastBytes = try call.body.int32()
            self.mostBytes = try call.body.int32()
            self.isolation = try Isolation(reading: &call.body)
            if version >= 7 { (self.sessionID, _) = (try call.body.int32(), try call.body.int32()) }
            self.topics = try call.body.topics { (reader) throws(Malformed) in
                let partition = try reader.int32()
                if version >= 9 { _ = try reader.int32() }  // The leader epoch that the client knows.
                let offset = try reader.int64()
                if version >= 5 { _ = try reader.int64() }  // The log start offset of a follower.
                return Entry(partition: partition, offset: offset, byteLimit: try reader.int32())
            }
        }
    }

    private struct Finding {
        var partition: Int32
        var error: ErrorCode?
        var endOffset: Int64 = -1
        var lastStableOffset: Int64 = -1
        var startOffset: Int64 = -1
        /// The aborted transactions in the batches; nil for a reader with `read_uncommitted`.
        var aborted: [TransactionIndex.Aborted]?
        var batches: [ByteBuffer] = []
    }

    /// Handles a Fetch request. If there is too little to read, the response waits for more records, for at
    /// most 60 s.
    func fetch(_ call: Call) throws(Malformed) {
        let request = try FetchRequest(reading: call)
        // The broker never opens a fetch session, so no session id of a client can be valid.
        guard request.sessionID == 0 else {
            self.answer(call, .fetchSessionIDNotFound, findings: [])
            return
        }
        guard request.longestWait > .zero, !self.isReady(request, for: call) else {
            self.answer(call, nil, findings: self.findings(request, for: call))
            return
        }
        let partitions = request.topics.flatMap { topic in
            topic.entries.compactMap { self.topics[topic.topic]?.partition($0.partition) }
        }
        _ = WaitingFetch(on: partitions, atMost: request.longestWait, self.timers) { [unowned self] in
            guard self.isReady(request, for: call) else { return false }
            self.answer(call, nil, findings: self.findings(request, for: call))
            return true
        } timeIsUp: { [unowned self] in
            self.answer(call, nil, findings: self.findings(request, for: call))
        }
    }

    /// Whether the response can be sent now: the requested minimum of bytes is there, or the client must
    /// learn of an error at once.
    private func isReady(_ request: FetchRequest, for call: Call) -> Bool {
        guard !request.topics.isEmpty else { return true }
        var byteCount = 0
        for topic in request.topics {
            guard self.mayRead(topic.topic, call) else { return true }
            for entry in topic.entries {
                guard let partition = self.topics[topic.topic]?.partition(entry.partition) else {
                    return true
                }
                let log = partition.log
                guard log.startOffset...log.endOffset ~= entry.offset else { return true }
                let end = partition.end(for: request.isolation)
                byteCount += min(log.byteCount(from: entry.offset, to: end), max(0, Int(entry.byteLimit)))
            }
        }
        return byteCount >= request.leastBytes
    }

    private func mayRead(_ topic: String, _ call: Call) -> Bool {
        !self.faults.unreadableTopics.contains(topic) && self.allows(call, .read, on: .topic, named: topic)
    }

    private func findings(_ request: FetchRequest, for call: Call) -> [TopicEntries<Finding>] {
        var bytesLeft = max(0, Int(request.mostBytes))
        var isEmpty = true
        return request.topics.map { topic in
            guard self.mayRead(topic.topic, call) else {
                return topic.map { Finding(partition: $1.partition, error: .topicAuthorizationFailed) }
            }
            return topic.map { name, entry in
                let finding = self.read(
                    entry,
                    of: name,
                    request.isolation,
                    atMost: bytesLeft,
                    always: isEmpty
                )
                bytesLeft -= min(bytesLeft, finding.batches.reduce(0) { $0 + $1.readableBytes })
                if !finding.batches.isEmpty { isEmpty = false }
                return finding
            }
        }
    }

    /// Reads one partition, with at most `limit` bytes. With `always`, the first batch is returned even if it
    /// is larger.
    private func read(
        _ entry: FetchRequest.Entry,
        of topic: String,
        _ isolation: Isolation,
        atMost limit: Int,
        always: Bool
    ) -> Finding {
        guard let partition = self.topics[topic]?.partition(entry.partition) else {
            return Finding(partition: entry.partition, error: .unknownTopicOrPartition)
        }
        let log = partition.log
        guard log.startOffset...log.endOffset ~= entry.offset else {
            return Finding(partition: entry.partition, error: .offsetOutOfRange)
        }
        let batches = log.read(
            from: entry.offset,
            to: partition.end(for: isolation),
            atMost: min(limit, max(0, Int(entry.byteLimit))),
            always: always
        )
        let next = batches.last.map { $0.lastOffset + 1 } ?? entry.offset
        return Finding(
            partition: entry.partition,
            endOffset: log.endOffset,
            lastStableOffset: partition.lastStableOffset,
            startOffset: log.startOffset,
            aborted: isolation == .readCommitted
                ? partition.aborted(in: entry.offset..<max(next, entry.offset)) : nil,
            batches: batches.map(\.bytes)
        )
    }

    private func answer(_ call: Call, _ error: ErrorCode?, findings: [TopicEntries<Finding>]) {
        call.answer { writer in
            writer.noThrottle()
            if call.version >= 7 {
                writer.error(error)
                writer.integer(Int32(0))  // no session
            }
            writer.topics(findings) { writer, finding in
                writer.integer(finding.partition)
                writer.error(finding.error)
                writer.integer(finding.endOffset)
                writer.integer(finding.lastStableOffset)
                if call.version >= 5 { writer.integer(finding.startOffset) }
                if let aborted = finding.aborted {
                    writer.array(aborted) { writer, transaction in
                        writer.integer(transaction.producerID)
                        writer.integer(transaction.firstOffset)
                    }
                } else {
                    writer.nullArray()
                }
                if call.version >= 11 { writer.integer(Int32(-1)) }  // no better replica
                writer.records(finding.batches)
            }
        }
    }
}
