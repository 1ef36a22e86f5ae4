import Kafka
import Records
import ServiceKit

/// One partition that this engine works on, from its assignment until it is given up.
///
/// The committed offset of a partition says nothing about a topic that was deleted and created again under
/// the same name. So reading begins before the committed offset, at a landmark that the commit names, and
/// `LandmarkCheck` compares the record there. Work begins at the committed offset.
struct Assignment<Source: RecordSource> {
    let source: Source
    /// The mark of the partition, which everything that is stored by offset names.
    let place: PartitionMark
    /// The settled offsets of the partition. If the group has never committed there, it is nil until the
    /// first record shows where the partition begins.
    var progress: PartitionProgress?
    /// Records that were read and cannot begin yet, because a far older record is unfinished or the first of
    /// them is not due.
    var overflow = Fifo<InboundRecord>()
    /// The records that were parked. Each is read again when the condition that it waits for has come.
    var parked = ParkedRecords()
    /// The end of the partition, if no record has been read since it was reported.
    var endSeen: Int64?
    /// The position with which to take the partition up once more, because the committed one is not that of this log; nil
    /// if nothing speaks against that.
    var correction: CommittedPosition?
    /// Whether the partition was taken up with a correction.
    private let isCorrected: Bool
    /// The position that the group has committed last, as far as this engine knows.
    var committed: CommittedPosition
    /// The monotonic time at which that commit was acknowledged; nil if it was made before this engine had
    /// the partition.
    var committedAt: Int64?
    /// The newest offset that this engine has finished, whatever is unfinished before it.
    private(set) var highestFinished: Int64?
    /// Whether the position may have changed since the last commit was sent.
    var isDirty = false
    /// The number of records of this partition in hand.
    var inHand = 0
    /// The reason why the partition cannot be read. librdkafka reports a partition's error once, so the
    /// engine remembers it until a record or the end of the partition arrives.
    var readTrouble: Trouble?
    /// The monotonic time at which the next record of a retry topic is due, in nanoseconds; nil if no record waits for
    /// its time.
    var waitsUntil: Int64?
    /// The milliseconds by which the times of the next records of a retry topic are too late, as far as one has shown: the
    /// clock of the worker that has put them there was ahead.
    var retrySkew: Int64 = 0
    /// Whether the next record of a retry topic has waited for the longest time that its topic can ask for.
    /// Such a record begins even if its ticket names a later time.
    var hasWaited = false

    /// The reason why the metadata of the committed offset was ignored; nil if it was not.
    private(set) var misfit: ProgressMetadata.Misfit?
    /// The records that are stored with the next commit, and the check of those that the last one names.
    private var landmarks = CommitLandmarks()

    var partition: TopicPartition { self.source.partition }

    /// Returns the position at which reading begins: the landmark of the commit, or the committed offset if
    /// the commit names none.
    static func start(of committed: CommittedPosition, at place: PartitionMark) -> CommittedPosition {
        guard let offset = committed.offset,
            let metadata = try? ProgressMetadata(committed.metadata, at: place, from: offset),
            let landmark = metadata.landmark
        else { return committed }
        return CommittedPosition(partition: committed.partition, offset: landmark.offset)
    }

    /// Takes up a partition at the position that the group has committed.
    ///
    /// Metadata that does not fit the commit is ignored, and `misfit` says why.
    ///
    /// - Parameters:
    ///   - correction: The position to take up instead, if the committed one is not that of this log. It is committed at
    ///     once.
    ///   - isCompacted: Whether the topic is compacted.
    init(
        source: Source,
        committed: CommittedPosition,
        correctedTo correction: CommittedPosition? = nil,
        place: PartitionMark,
        isCompacted: Bool = false
    ) {
        let start = correction ?? committed
        self.source = source
        self.committed = start.offset == nil ? start : committed
        self.isCorrected = correction != nil
        self.isDirty = correction != nil
        self.place = place
        guard let offset = start.offset else { return }
        var finished: [Int64] = []
        do throws(ProgressMetadata.Misfit) {
            let metadata = try ProgressMetadata(start.metadata, at: place, from: offset)
            // Marks of transactions are finished offsets too. A log that lost those after the newest record can have
            // records there.
            finished = metadata.finished.filter { $0 <= metadata.newest?.offset ?? .max }
            self.landmarks = CommitLandmarks(of: metadata, isCompacted: isCompacted)
        } catch {
            self.misfit = error
        }
        self.progress = PartitionProgress(position: offset, finishedBeyond: finished)
        // Until the log is known to be the one that the commit speaks of, no other commit may take its place.
        if self.landmarks.check != nil { self.progress?.hold() }
    }

    /// The decision about a record that has just been read.
    enum Admission {
        /// The record is to be worked on.
        case begin
        /// The record was settled before this engine took the partition.
        case skip
        /// The record lies before the committed offset. It was read only to see whether the topic is still
        /// the same.
        case passed
        /// The topic was deleted and created again since the commit.
        case madeAnew
        /// The log lost its end since the commit, and other records were published.
        case cutOff
        /// The record is to be worked on, and has an earlier offset than expected: the topic was truncated or created
        /// again while it was read.
        case beginAgain
        /// The record has to wait until an older one has finished.
        case wait
    }

    /// Whether a read would bring a record that can begin, as far as that can be told before the read.
    var hasSomethingToRead: Bool {
        guard let first = self.overflow.first else { return self.source.hasArrivals }
        guard let next = self.progress?.next, first.offset >= next else { return self.inHand == 0 }
        return self.progress?.hasRoom(for: first.offset) == true
    }

    /// Decides about a record that has just been read, and takes its offset up if it can begin.
    ///
    /// - Parameter timestamp: Milliseconds since 1970; nil if the record has none.
    mutating func admit(_ offset: Int64, timestamp: Int64?) -> Admission {
        switch self.landmarks.look(at: offset, timestamp: timestamp) {
        case .settled: return .passed
        case .madeAnew: return .madeAnew
        case .cutOff: return .cutOff
        case .over: self.release()
        case .open, .emptied, nil: break
        }
        // `progress` is always used in place, because a copy of it would copy its window for every record.
        guard let next = self.progress?.next, offset >= next
        else { return self.restart(at: offset, timestamp) }
        guard self.progress?.hasRoom(for: offset) == true else { return .wait }
        self.isDirty = true
        self.landmarks.note(offset, timestamp: timestamp, position: self.progress?.position ?? offset)
        return self.progress?.begin(offset) == .alreadyFinished ? .skip : .begin
    }

    /// Takes the partition up anew at a record that is its first, or that has an earlier offset than
    /// expected. In the second case `auto.offset.reset` has gone back. All records in hand must finish first,
    /// because their offsets mean something else from then on.
    private mutating func restart(at offset: Int64, _ timestamp: Int64?) -> Admission {
        guard self.inHand == 0 else { return .wait }
        let isFirst = self.progress == nil
        self.restart(at: offset)
        _ = self.progress?.begin(offset)
        self.landmarks.note(offset, timestamp: timestamp, position: offset)
        return isFirst ? .begin : .beginAgain
    }

    /// The new position is committed at once, because `auto.offset.reset` may send the next owner of the
    /// partition to another offset.
    private mutating func restart(at position: Int64) {
        self.progress = PartitionProgress(position: position)
        self.landmarks = CommitLandmarks()
        self.isDirty = true
    }

    /// Passes the offsets from the last record to the end of the partition, where there are no records to
    /// read: they are transaction markers and records of aborted transactions. The position beyond them is
    /// committed too, so that a group that has read everything has no lag.
    ///
    /// - Parameter now: The monotonic time, in nanoseconds.
    /// - Returns: The finding, if the log turns out not to be the one that the commit speaks of; nil if not.
    mutating func passEnd(at now: Int64) -> LandmarkCheck.Finding? {
        guard let end = self.endSeen, self.overflow.isEmpty else { return nil }
        // An end tells nothing about the log if more has been published since.
        guard self.landmarks.check == nil || !self.source.hasArrivals else { return nil }
        switch self.landmarks.look(atEnd: end, now: now) {
        case .open: return nil
        case .over: self.release()
        case .emptied:
            guard self.inHand == 0 else { return nil }
            self.restart(at: end)
            return .emptied
        case nil: break
        case let finding: return finding
        }
        self.endSeen = nil
        // A topic that was made anew and is empty. Without a commit, the next owner would have to find out again.
        if self.progress == nil, self.isCorrected { self.restart(at: end) }
        if self.progress?.pass(to: end) == true { self.isDirty = true }
        return nil
    }

    private mutating func release() {
        if self.progress?.release() == true { self.isDirty = true }
    }

    /// The commit to take the partition up with after its log lost its end: everything after the landmark counts
    /// as unread.
    var commitBeforeTheCut: CommittedPosition? {
        guard let check = self.landmarks.check else { return nil }
        let metadata = ProgressMetadata(
            place: self.place,
            position: check.firstInDoubt,
            finished: [],
            landmark: check.landmark
        )
        return CommittedPosition(
            partition: self.partition,
            offset: metadata.position,
            metadata: metadata.text
        )
    }

    /// Notes that a record in hand was settled, parked or forwarded, and that the broker has acknowledged it.
    mutating func finish(_ offset: Int64) {
        self.progress?.finish(offset)
        self.highestFinished = max(self.highestFinished ?? offset, offset)
        self.isDirty = true
        self.inHand -= 1
    }

    /// Notes that a record which has just been read was parked by an earlier owner, so that its offset is
    /// done. The record is not in hand.
    mutating func pass(_ offset: Int64) {
        self.progress?.finish(offset)
        self.isDirty = true
    }

    /// The offset after the last record that this engine has read, or that was settled before.
    ///
    /// A parked record beyond this offset must not be taken in hand yet. An earlier record of its key may
    /// still be unread: the owner that parked the later record had the earlier one in hand and died.
    var readEnd: Int64 { self.progress?.next ?? 0 }

    /// The position to commit now, with its metadata; nil if the partition has no position yet.
    var position: CommittedPosition? { self.position(withFinished: []) }

    /// Returns the position to commit if these offsets were finished too.
    ///
    /// - Parameter stamp: A number that tells this commit from others with the same content.
    func position(withFinished offsets: [Int64], stamp: UInt32? = nil) -> CommittedPosition? {
        guard var progress = self.progress else { return nil }
        for offset in offsets { progress.finish(offset) }
        let metadata = ProgressMetadata(
            place: self.place,
            position: progress.position,
            finished: progress.finishedBeyondPosition,
            landmark: self.landmarks.landmark(below: progress.position),
            newest: self.landmarks.newest,
            stamp: stamp
        )
        return CommittedPosition(
            partition: self.partition,
            offset: progress.position,
            metadata: metadata.text
        )
    }
}
