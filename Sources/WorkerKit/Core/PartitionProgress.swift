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
    /// The offset that the next record is expected to have, or more where compaction left a gap.
    package private(set) var next: Int64
    /// Bit `offset % window` is set for finished offsets from `position` on.
    private var finished = [UInt64](repeating: 0, count: wordCount)
    /// One past the newest offset that the last owner had finished; up to there `finished` may know better.
    private var restoredEnd: Int64

    /// - Parameters:
    ///   - position: where the partition is taken up.
    ///   - finishedBeyond: offsets from `position` on that an earlier owner has already settled.
    package init(position: Int64, finishedBeyond: [Int64] = []) {
        self.position = position
        self.next = position
        self.restoredEnd = position
        for offset in finishedBeyond where self.isInWindow(offset) {
            self.mark(offset)
            self.restoredEnd = max(self.restoredEnd, offset + 1)
        }
    }

    /// Whether a record of this offset can be taken now. If not, something older has to finish first.
    package func hasRoom(for offset: Int64) -> Bool {
        // A gap that nothing in hand precedes is skipped as a whole, however long.
        self.position == self.next || self.isInWindow(offset)
    }

    /// What to do with a record that was read.
    package enum Beginning: Hashable, Sendable {
        /// Work on it.
        case unfinished
        /// It was settled before this owner took the partition.
        case alreadyFinished
    }

    /// Takes up a record, in the order of offsets. There must be room for it.
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

    /// There is no record from `next` up to this offset.
    ///
    /// - Returns: whether that was news, and there was room for it.
    package mutating func pass(to end: Int64) -> Bool {
        guard end > self.next, self.hasRoom(for: end) else { return false }
        self.passAbsent(to: end)
        self.next = end
        self.advance()
        return true
    }

    /// What is not there (compacted away, or a transaction's marker) counts as done.
    private mutating func passAbsent(to offset: Int64) {
        if self.position == self.next, offset >= self.restoredEnd {
            self.skip(to: offset)
        } else {
            for absent in self.next..<offset { self.mark(absent) }
        }
    }

    /// A record has been settled, and the broker has acknowledged it.
    package mutating func finish(_ offset: Int64) {
        precondition(offset >= self.position && offset < self.next, "offset \(offset) is not in hand")
        self.mark(offset)
        self.advance()
    }

    /// Offsets beyond the position that are finished, oldest first.
    package var finishedBeyondPosition: [Int64] {
        (self.position..<max(self.next, self.restoredEnd)).filter(self.isFinished)
    }

    /// Offsets that were taken up from the position on, done or not: how much of the window is in use.
    package var inHandCount: Int { Int(self.next - self.position) }

    /// Those of them that are done. It looks at each word of the window once: cheap once a second, not per record.
    package var finishedCount: Int {
        guard self.position < self.next else { return 0 }
        let (first, last) = (Self.place(of: self.position), Self.place(of: self.next - 1))
        // What an earlier owner finished beyond the newest record is no count of ours, and must be left out.
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

    /// Offsets that were taken up and are not done.
    package var unfinishedCount: Int { self.inHandCount - self.finishedCount }

    private func isInWindow(_ offset: Int64) -> Bool {
        // No record can have the largest offset: there would be none to commit after it.
        offset >= self.position && offset < .max && offset - self.position < Int64(Self.window)
    }

    private mutating func skip(to offset: Int64) {
        for index in self.finished.indices { self.finished[index] = 0 }
        self.position = offset
        self.next = offset
    }

    private mutating func advance() {
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
