import Kafka
import ServiceKit
import WireFormats
import WorkerKit

/// Moves the position of an empty consumer group back, and keeps the metadata of each commit, as an operator does with a
/// tool that copies it.
///
/// The metadata says which records after the old position are finished. At the new position that is wrong, and workers
/// that believed it would leave records out: the record at the old position, which is not finished, would count as the
/// one that follows it at the distance of the move.
final class OffsetMove {
    /// The distance of the move in the first partition. It is larger by so much in each further one, and small in all,
    /// because few records are finished ahead of a position.
    private static let distance: Int64 = 4
    /// The longest wait for one answer. The caller's event loop stands still meanwhile.
    private static let longestWait = Duration.milliseconds(500)
    /// The time between two tries.
    private static let pause = Duration.milliseconds(500)

    private let consumer: Consumer
    private let partitions: [TopicPartition]
    private var nextTry = ContinuousClock.now
    private var tries: UInt64 = 0
    /// The move that is done if the commit that is under way succeeds; nil if none is.
    private var pending: GroupMove?

    init(of group: String, on topic: String, brokers: String) throws {
        self.consumer = try Consumer(["bootstrap.servers": brokers, "group.id": group])
        self.partitions = (0..<ChaosCluster.partitions).map {
            TopicPartition(topic: topic, partition: Int32($0))
        }
    }

    // A consumer that never joined must not wait for its coordinator when it goes.
    deinit { self.consumer.abandon() }

    /// Tries once, if a try is due. The brokers refuse the commit until they have removed all members from the group.
    ///
    /// - Returns: the move, at the moment at which the group is moved; otherwise nil.
    func turn() -> GroupMove? {
        var result: (id: UInt64, error: KafkaError?)?
        self.consumer.serve { event in
            if case .committed(let id, let error) = event { result = (id, error) }
        }
        if let pending, let result, result.id == self.tries {
            self.pending = nil
            self.nextTry = .now + Self.pause
            if result.error == nil { return pending }
        }
        if self.pending == nil, .now >= self.nextTry {
            self.nextTry = .now + Self.pause
            self.pending = try? self.commit()
        }
        return nil
    }

    /// Sends the commit.
    ///
    /// - Returns: the move if it succeeds. All records up to the present end are read again, because the metadata that
    ///   names the finished ones does not fit the new position.
    private func commit() throws -> GroupMove? {
        guard let cluster = self.consumer.clusterID(atMost: Self.longestWait) else { return nil }
        let committed = try self.consumer.committed(self.partitions, atMost: Self.longestWait)
        let ends = try self.consumer.offsets(
            notBefore: Dictionary(self.partitions.map { ($0, LogReader.end) }) { $1 },
            atMost: Self.longestWait
        )
        var move = GroupMove(at: Moment.now.wall, parts: [:])
        var positions: [CommittedPosition] = []
        for var position in committed {
            guard let offset = position.offset, let end = ends[position.partition], end >= offset else {
                continue
            }
            let start = max(0, offset - Self.distance * Int64(position.partition.partition + 1))
            let place = PartitionMark(clusterID: cluster, position.partition)
            let stored = try ProgressMetadata(position.metadata, at: place, from: offset)
            position.offset = start
            positions.append(position)
            move.parts[position.partition.partition] = GroupMove.Part(
                records: start..<end,
                position: offset,
                finished: Set(stored.finished)
            )
        }
        self.tries += 1
        try self.consumer.commit(positions, id: self.tries)
        return move
    }
}
