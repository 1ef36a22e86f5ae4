import Kafka
import Records

/// One partition that this engine works on, from assignment to revocation.
struct Assignment<Source: RecordSource> {
    let source: Source
    /// Nil until the first record says where the partition begins, if the group has never committed there.
    var progress: PartitionProgress?
    /// Records that were read and have no room yet: something far older is unfinished.
    var overflow = Fifo<InboundRecord>()
    var committed: CommittedPosition
    /// When that was acknowledged; nil if it was there before this engine.
    var committedAt: Int64?
    /// The newest offset that is settled, whatever is unfinished before it.
    private(set) var highestFinished: Int64?
    /// Something finished since the last commit was sent.
    var isDirty = false
    /// Records in hand.
    var inHand = 0
    /// The wall-clock time at which the next record of a retry topic is due; nil if none waits.
    var waitsUntil: Int64?

    var partition: TopicPartition { self.source.partition }

    init(source: Source, committed: CommittedPosition) {
        self.source = source
        self.committed = committed
        guard let offset = committed.offset else { return }
        let finished = ProgressMetadata.decode(committed.metadata, from: offset) ?? []
        self.progress = PartitionProgress(position: offset, finishedBeyond: finished)
    }

    /// What to do with a record that has just been read.
    enum Admission {
        case begin
        /// Settled before this engine took the partition.
        case skip
        /// Something older has to finish first.
        case wait
    }

    /// Whether a read would bring something that can begin, as far as can be told before it.
    var hasSomethingToRead: Bool {
        guard let first = self.overflow.first else { return self.source.hasArrivals }
        guard let next = self.progress?.next, first.offset >= next else { return self.inHand == 0 }
        return self.progress?.hasRoom(for: first.offset) == true
    }

    mutating func admit(_ offset: Int64) -> Admission {
        // Always in place: a copy of the progress would copy its window, for every record.
        guard let next = self.progress?.next, offset >= next else { return self.restart(at: offset) }
        guard self.progress?.hasRoom(for: offset) == true else { return .wait }
        self.isDirty = true
        return self.progress?.begin(offset) == .alreadyFinished ? .skip : .begin
    }

    /// The partition's first record, or one that lies before the last: the topic was truncated or made anew, and
    /// `auto.offset.reset` went back. What is in hand must be done before its offsets mean something else.
    private mutating func restart(at offset: Int64) -> Admission {
        guard self.inHand == 0 else { return .wait }
        var progress = PartitionProgress(position: offset)
        _ = progress.begin(offset)
        self.progress = progress
        // Where the partition is taken up is committed at once: `auto.offset.reset` may send the next owner
        // elsewhere.
        self.isDirty = true
        return .begin
    }

    /// A record has been settled, and the broker has acknowledged it.
    mutating func finish(_ offset: Int64) {
        self.progress?.finish(offset)
        self.highestFinished = max(self.highestFinished ?? offset, offset)
        self.isDirty = true
        self.inHand -= 1
    }

    /// What would be committed now; nil if there is nothing to say yet.
    var position: CommittedPosition? { self.position(withFinished: []) }

    /// The same, as if these offsets were finished too.
    func position(withFinished offsets: [Int64]) -> CommittedPosition? {
        guard var progress = self.progress else { return nil }
        for offset in offsets { progress.finish(offset) }
        let metadata = ProgressMetadata.encode(progress.finishedBeyondPosition, beyond: progress.position)
        return CommittedPosition(partition: self.partition, offset: progress.position, metadata: metadata)
    }
}
