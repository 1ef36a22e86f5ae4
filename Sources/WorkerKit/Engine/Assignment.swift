import Kafka
import Records

/// One partition that this engine works on, from assignment to revocation.
struct Assignment<Source: RecordSource> {
    let source: Source
    /// Names the partition in everything that is stored by offset.
    let place: PartitionMark
    /// Nil until the first record says where the partition begins, if the group has never committed there.
    var progress: PartitionProgress?
    /// Records that were read and have no room yet: something far older is unfinished.
    var overflow = Fifo<InboundRecord>()
    /// Records that were put aside, and are read again when what they wait for has come.
    var parked = ParkedRecords()
    /// Where the partition ended, if no record has been read since that was heard of.
    var endSeen: Int64?
    var committed: CommittedPosition
    /// When that was acknowledged; nil if it was there before this engine.
    var committedAt: Int64?
    /// The newest offset that is settled, whatever is unfinished before it.
    private(set) var highestFinished: Int64?
    /// Something finished since the last commit was sent.
    var isDirty = false
    /// Records in hand.
    var inHand = 0
    /// Why it cannot be read. librdkafka tells a partition's error once, so it is remembered until a record arrives.
    var readTrouble: Trouble?
    /// The wall-clock time at which the next record of a retry topic is due; nil if none waits.
    var waitsUntil: Int64?
    /// The next record of a retry topic has waited for as long as its topic has any wait.
    var hasWaited = false

    /// Why the metadata of the committed offset was ignored; nil if it was not.
    private(set) var misfit: ProgressMetadata.Misfit?
    /// A record before the position. Another record there means that the topic was deleted and made again.
    private(set) var landmark: Landmark?
    /// The next landmark, once the position has passed it.
    private var nextLandmark: Landmark?
    /// Nil once it is known whether the commit speaks of this topic.
    private var check: LandmarkCheck?

    var partition: TopicPartition { self.source.partition }

    /// Where to begin to read: at the landmark of the commit, if it has one.
    static func start(of committed: CommittedPosition, at place: PartitionMark) -> CommittedPosition {
        guard let offset = committed.offset,
            let metadata = try? ProgressMetadata(committed.metadata, at: place, from: offset),
            let landmark = metadata.landmark
        else { return committed }
        return CommittedPosition(partition: committed.partition, offset: landmark.offset)
    }

    init(source: Source, committed: CommittedPosition, place: PartitionMark) {
        self.source = source
        self.committed = committed
        self.place = place
        guard let offset = committed.offset else { return }
        var finished: [Int64] = []
        do throws(ProgressMetadata.Misfit) {
            let metadata = try ProgressMetadata(committed.metadata, at: place, from: offset)
            finished = metadata.finished
            self.landmark = metadata.landmark
            self.check = metadata.landmark.map { LandmarkCheck($0, below: offset) }
        } catch {
            self.misfit = error
        }
        self.progress = PartitionProgress(position: offset, finishedBeyond: finished)
    }

    /// What to do with a record that has just been read.
    enum Admission {
        case begin
        /// Settled before this engine took the partition.
        case skip
        /// It lies before the committed offset, and was read to see whether the topic is still the same.
        case passed
        /// The topic was deleted and made again since the commit.
        case madeAnew
        /// Something older has to finish first.
        case wait
    }

    /// Whether a read would bring something that can begin, as far as can be told before it.
    var hasSomethingToRead: Bool {
        guard let first = self.overflow.first else { return self.source.hasArrivals }
        guard let next = self.progress?.next, first.offset >= next else { return self.inHand == 0 }
        return self.progress?.hasRoom(for: first.offset) == true
    }

    mutating func admit(_ offset: Int64, timestamp: Int64?) -> Admission {
        switch self.check?.look(at: offset, timestamp: timestamp) {
        case .settled: return .passed
        case .madeAnew: return .madeAnew
        case .over: self.check = nil
        case nil: break
        }
        // Always in place: a copy of the progress would copy its window, for every record.
        guard let next = self.progress?.next, offset >= next else { return self.restart(at: offset) }
        guard self.progress?.hasRoom(for: offset) == true else { return .wait }
        self.isDirty = true
        self.noteLandmark(offset, timestamp)
        return self.progress?.begin(offset) == .alreadyFinished ? .skip : .begin
    }

    private mutating func noteLandmark(_ offset: Int64, _ timestamp: Int64?) {
        if let next = self.nextLandmark {
            guard let position = self.progress?.position, next.offset < position else { return }
            self.landmark = next
        }
        self.nextLandmark = timestamp.map { Landmark(offset: offset, timestamp: $0) }
    }

    private func landmark(below position: Int64) -> Landmark? {
        if let next = self.nextLandmark, next.offset < position { return next }
        return self.landmark
    }

    /// The partition's first record, or one that lies before the last: the topic was truncated or made anew, and
    /// `auto.offset.reset` went back. What is in hand must be done before its offsets mean something else.
    private mutating func restart(at offset: Int64) -> Admission {
        guard self.inHand == 0 else { return .wait }
        var progress = PartitionProgress(position: offset)
        _ = progress.begin(offset)
        self.progress = progress
        self.landmark = nil
        self.nextLandmark = nil
        // Where the partition is taken up is committed at once: `auto.offset.reset` may send the next owner
        // elsewhere.
        self.isDirty = true
        return .begin
    }

    /// What lies between the last record and the end of the partition is none: marks of transactions, and what they took
    /// back. It is committed too, so that a group that has read everything has no lag.
    ///
    /// - Parameter now: by the monotonic clock.
    mutating func passEnd(at now: Int64) {
        guard let end = self.endSeen, self.overflow.isEmpty else { return }
        if let position = self.check?.position, end < position {
            guard self.check?.isCutOff(at: end, now: now) == true else { return }
            self.check = nil
            self.progress = PartitionProgress(position: end)
            self.isDirty = true
        }
        self.endSeen = nil
        if self.progress?.pass(to: end) == true { self.isDirty = true }
    }

    /// A record has been settled, and the broker has acknowledged it.
    mutating func finish(_ offset: Int64) {
        self.progress?.finish(offset)
        self.highestFinished = max(self.highestFinished ?? offset, offset)
        self.isDirty = true
        self.inHand -= 1
    }

    /// A record was settled or parked by an earlier owner, and is not in hand.
    mutating func pass(_ offset: Int64) {
        self.progress?.finish(offset)
        self.isDirty = true
    }

    /// Every record before it has been read by this engine, or was settled before. A parked record beyond it may have an
    /// earlier one of its key that nobody has read yet: whoever parked it had that in hand and died.
    var readEnd: Int64 { self.progress?.next ?? 0 }

    /// What would be committed now; nil if there is nothing to say yet.
    var position: CommittedPosition? { self.position(withFinished: []) }

    /// The same, as if these offsets were finished too.
    ///
    /// - Parameter stamp: tells this commit from others that say the same.
    func position(withFinished offsets: [Int64], stamp: UInt32? = nil) -> CommittedPosition? {
        guard var progress = self.progress else { return nil }
        for offset in offsets { progress.finish(offset) }
        let metadata = ProgressMetadata(
            place: self.place,
            position: progress.position,
            finished: progress.finishedBeyondPosition,
            landmark: self.landmark(below: progress.position),
            stamp: stamp
        )
        return CommittedPosition(
            partition: self.partition,
            offset: progress.position,
            metadata: metadata.text
        )
    }
}
