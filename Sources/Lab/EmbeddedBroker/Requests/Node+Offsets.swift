extension Node {
    // MARK: ListOffsets

    /// The timestamps in a ListOffsets request that stand for the start or the end of the log.
    private enum Landmark {
        static let latest: Int64 = -1
        static let earliest: Int64 = -2
    }

    private struct Position {
        var partition: Int32
        var error: ErrorCode?
        var timestamp: Int64 = -1
        var offset: Int64 = -1
    }

    func listOffsets(_ call: Call) throws(Malformed) {
        let version = call.version
        _ = try call.body.int32()  // The id of the replica that asks; -1 for a client.
        let isolation = version >= 2 ? try Isolation(reading: &call.body) : .readUncommitted
        let topics = try call.body.topics { (reader) throws(Malformed) in
            let partition = try reader.int32()
            if version >= 4 { _ = try reader.int32() }  // The leader epoch that the client knows.
            return (partition: partition, timestamp: try reader.int64())
        }
        let positions = topics.map { topic in
            if let error = self.refusal(of: call, .describe, topic: topic.topic) {
                return topic.map { Position(partition: $1.partition, error: error) }
            }
            return topic.map { name, entry in
                self.position(at: entry.timestamp, of: name, entry.partition, isolation)
            }
        }
        call.answer { writer in
            if version >= 2 { writer.noThrottle() }
            writer.topics(positions) { writer, position in
                writer.integer(position.partition)
                writer.error(position.error)
                writer.integer(position.timestamp)
                writer.integer(position.offset)
                if version >= 4 { writer.integer(Int32(-1)) }
            }
        }
    }

    private func position(
        at timestamp: Int64,
        of topic: String,
        _ index: Int32,
        _ isolation: Isolation
    ) -> Position {
        guard let partition = self.topics[topic]?.partition(index) else {
            return Position(partition: index, error: .unknownTopicOrPartition)
        }
        switch timestamp {
        case Landmark.latest: return Position(partition: index, offset: partition.end(for: isolation))
        case Landmark.earliest: return Position(partition: index, offset: partition.log.startOffset)
        default:
            let end = partition.end(for: isolation)
            guard let found = partition.log.position(notBefore: timestamp, below: end) else {
                return Position(partition: index)
            }
            return Position(partition: index, timestamp: found.timestamp, offset: found.offset)
        }
    }

    // MARK: DeleteRecords

    private struct Deletion {
        var partition: Int32
        var error: ErrorCode?
        var startOffset: Int64 = -1
    }

    func deleteRecords(_ call: Call) throws(Malformed) {
        let topics = try call.body.topics { (reader) throws(Malformed) in
            (partition: try reader.int32(), offset: try reader.int64())
        }
        _ = try call.body.int32()  // The timeout for replicas: there are none.
        let deletions = topics.map { topic in
            if let error = self.refusal(of: call, .delete, topic: topic.topic) {
                return topic.map { Deletion(partition: $1.partition, error: error) }
            }
            return topic.map { name, entry in
                self.deleteRecords(of: name, entry.partition, before: entry.offset)
            }
        }
        call.answer { writer in
            writer.noThrottle()
            writer.topics(deletions) { writer, deletion in
                writer.integer(deletion.partition)
                writer.integer(deletion.startOffset)
                writer.error(deletion.error)
            }
        }
    }

    private func deleteRecords(of topic: String, _ index: Int32, before offset: Int64) -> Deletion {
        guard let partition = self.topics[topic]?.partition(index) else {
            return Deletion(partition: index, error: .unknownTopicOrPartition)
        }
        // An offset of -1 stands for the end of the log.
        let offset = offset == -1 ? partition.log.endOffset : offset
        guard 0...partition.log.endOffset ~= offset else {
            return Deletion(partition: index, error: .offsetOutOfRange)
        }
        partition.truncate(before: offset)
        partition.wake()
        return Deletion(partition: index, startOffset: partition.log.startOffset)
    }
}
