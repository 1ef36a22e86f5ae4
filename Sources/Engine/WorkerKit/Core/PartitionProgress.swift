/// How far one partition may be committed while its records finish out of order.
///
/// Kafka commits a position, not a record: committing 8 says that 0...7 are all done. The progress holds the
/// position back to the oldest unfinished record, and remembers what is finished beyond it, in a window that is
/// bounded so that the memory always fits the commit's metadata (`ProgressMetadata`).
package struct PartitionProgress: Sendable {
    /// Offsets that may lie between the position and the newest record in hand.
    package static let window = 16_384
    private static let wordCount = window / 64

    /// The offset to commit: the first one that is not known to be done.
    package private(set) var position: Int64
    /// The least offset that the next record can have. Its offset is larger where compaction left a gap.
    package private(set) var next: Int64
    /// Bit `offset % window` is set for finished offsets from `position` on.
    private var finished = [UInt64](repeating: 0, count: wordCount)
    /// The offset after the newest one that the last owner had finished. Up to there, `finished` can have
    /// bits of records that have not been read yet.
    private var restoredEnd: Int64
    /// Whether the position stays where it is, because it is not known yet whether the finished offsets beyond it are
    /// those of the records that will be read.
    private var isHeld = false
    /// The number of offsets that were passed because there was no record, since `takeAbsent`.
    private var absent: Int64 = 0

    /// Takes a partition up.
    ///
    /// - Parameters:
    ///   - position: The offset at which the partition is taken up.
    ///   - finishedBeyond: Offsets from `position` on that an earlier owner has already settled.
    package init(position: Int64, finishedBeyond: [Int64] = []) {
        self.position = position
        self.next = position
        self.restoredEnd = position
        for offset in finishedBeyond where self.isInWindow(offset) {
            self.mark(offset)
            self.restoredEnd = max(self.restoredEnd, offset + 1)
        }
    }

    /// Keeps the position where it is until `release`, whatever is finished.
    package mutating func hold() { self.isHeld = true }

    /// Lets the position go on.
    ///
    /// - Returns: Whether it was held.
    package mutating func release() -> Bool {
        guard self.isHeld else { return false }
        self.isHeld = false
        self.advance()
        return true
    }

    /// Returns whether a record of this offset can be taken up now. If not, an older record has to finish
    /// first.
    package func hasRoom(for offset: Int64) -> Bool {
        // If no record is in hand, a gap is skipped as a whole, however long it is.
        self.position == self.next || self.isInWindow(offset)
    }

    /// The work that is left for a record that was read.
    package enum Beginning: Hashable, Sendable {
        /// The record is to be worked on.
        case unfinished
        /// The record was settled before this owner took the partition.
        case alreadyFinished
    }

    /// Takes up a record. Records come in the order of their offsets, and there must be room (`hasRoom`).
    package mutating func begin(_ offset: Int64) -> Beginning {
        precondition(offset >= self.next, "offset \(offset) comes after \(self.next - 1)")
        precondition(
            self.hasRoom(for: offset),
            "offset \(offset) lies outside the window of \(self.position)"
        )
        self.passAbsent(to: offset)
        self.next = offset + 1
        let beginning = self.isFinished(offset) ? Beginning.alreadyFinished : .unfinished
        self.advance()
        return beginning
    }

    /// Notes that there is no record from `next` up to this offset.
    ///
    /// - Returns: Whether that was news, and there was room for it.
    package mutating func pass(to end: Int64) -> Bool {
        guard end > self.next, self.hasRoom(for: end) else { return false }
        self.passAbsent(to: end)
        self.next = end
        self.advance()
        return true
    }

    /// Counts offsets without a record (compacted away, or a transaction marker) as done.
    private mutating func passAbsent(to offset: Int64) {
        self.absent += offset - self.next
        if self.position == self.next, offset >= self.restoredEnd, !self.isHeld {
            self.skip(to: offset)
        } else {
            for absent in self.next..<offset { self.mark(absent) }
        }
    }

    /// Returns the number of offsets without a record that were passed since the last call.
    package mutating func takeAbsent() -> Int64 {
        defer { self.absent = 0 }
        return self.absent
    }

    /// Notes that a record was settled and that the broker has acknowledged its outcome.
    package mutating func finish(_ offset: Int64) {
        precondition(offset >= self.position && offset < self.next, "offset \(offset) is not in hand")
        self.mark(offset)
        self.advance()
    }

    /// The finished offsets beyond the position, oldest first.
    package var finishedBeyondPosition: [Int64] {
        (self.position..<max(self.next, self.restoredEnd)).filter(self.isFinished)
    }

    /// The number of offsets from the position on that were taken up, done or not: the used part of the
    /// window.
    package var inHandCount: Int { Int(self.next - self.position) }

    /// The number of offsets in hand that are done. The count reads each word of the window once: cheap once
    /// a second, not for every record.
    package var finishedCount: Int {
        guard self.position < self.next else { return 0 }
        let (first, last) = (Self.place(of: self.position), Self.place(of: self.next - 1))
        // Offsets that an earlier owner finished beyond the newest record are not in hand, so they must be
        // left out.
        let (fromFirst, upToLast) = (~(first.bit - 1), last.bit | (last.bit - 1))
        if first.word == last.word, first.bit <= last.bit {
            return (self.finished[first.word] & fromFirst & upToLast).nonzeroBitCount
        }
        var count = (self.finished[first.word] & fromFirst).nonzeroBitCount
        count += (self.finished[last.word] & upToLast).nonzeroBitCount
        var word = (first.word + 1) % Self.wordCount
        while word != last.word {
            count += self.finished[word].nonzeroBitCount
            word = (word + 1) % Self.wordCount
        }
        return count
    }

    /// The number of offsets that an earlier owner has finished and that have not been read yet.
    package var finishedAheadCount: Int {
        guard self.restoredEnd > self.next else { return 0 }
        return (self.next..<self.restoredEnd).count(where: self.isFinished)
    }

    private func isInWindow(_ offset: Int64) -> Bool {
        // No record can have the largest offset: there would be no offset to commit after it.
        offset >= self.position && offset < .max && offset - self.position < Int64(Self.window)
    }

    private mutating func skip(to offset: Int64) {
        for index in self.finished.indices { self.finished[index] = 0 }
        self.position = offset
        self.next = offset
    }

    private mutating func advance() {
        guard !self.isHeld else { return }
        while self.position < self.next, self.isFinished(self.position) {
            let (word, bit) = Self.place(of: self.position)
            self.finished[word] &= ~bit
            self.position += 1
        }
    }

    private mutating func mark(_ offset: Int64) {
        let (word, bit) = Self.place(of: offset)
        self.finished[word] |= bit
    }

    private func isFinished(_ offset: Int64) -> Bool {
        let (word, bit) = Self.place(of: offset)
        return self.finished[word] & bit != 0
    }

    private static func place(of offset: Int64) -> (word: Int, bit: UInt64) {
        let index = Int(truncatingIfNeeded: offset & Int64(self.window - 1))
        return (index >> 6, 1 << UInt64(index & 63))
    }
}
