internal import NIOCore

/// The record batches of one partition, oldest first, in memory.
struct PartitionLog {
    private struct Entry {
        var batch: RecordBatch
        /// The number of bytes that were appended before this batch since the log began.
        var position: Int
    }

    private var entries = CircularBuffer<Entry>()
    /// The first offset that can be read.
    private(set) var startOffset: Int64 = 0
    /// The offset of the next record. With a single broker, this is the high watermark as well.
    private(set) var endOffset: Int64 = 0
    private var endPosition = 0

    /// The size of all retained batches in bytes.
    private(set) var byteCount = 0

    /// Appends a batch at the end of the log.
    ///
    /// - Returns: the batch's base offset.
    mutating func append(_ batch: RecordBatch) -> Int64 {
        var batch = batch
        batch.place(at: self.endOffset)
        self.entries.append(Entry(batch: batch, position: self.endPosition))
        self.endOffset = batch.lastOffset + 1
        self.endPosition += batch.bytes.readableBytes
        self.byteCount += batch.bytes.readableBytes
        return batch.baseOffset
    }

    /// Returns the batches from the one that holds `offset` up to `end`, which must be an offset between two
    /// batches.
    ///
    /// - Parameters:
    ///   - limit: the greatest number of bytes to return.
    ///   - always: whether the first batch is returned even if it is larger than `limit`. Without that, a
    ///     reader could never get past a large batch.
    func read(from offset: Int64, to end: Int64, atMost limit: Int, always: Bool) -> [RecordBatch] {
        var found: [RecordBatch] = []
        var size = 0
        for index in self.index(of: offset)..<self.entries.count {
            let batch = self.entries[offset: index].batch
            guard batch.baseOffset < end else { break }
            size += batch.bytes.readableBytes
            guard size <= limit || always && found.isEmpty else { break }
            found.append(batch)
        }
        return found
    }

    /// The number of bytes that a reader at `offset` could read up to `end`.
    func byteCount(from offset: Int64, to end: Int64) -> Int {
        let (first, last) = (self.index(of: offset), self.index(of: end))
        return max(0, self.position(of: last) - self.position(of: first))
    }

    /// The timestamp and offset of the first record below `end` that is not older than `timestamp`; nil if
    /// there is none.
    func position(notBefore timestamp: Int64, below end: Int64) -> (timestamp: Int64, offset: Int64)? {
        for entry in self.entries {
            guard entry.batch.baseOffset < end else { return nil }
            if let position = entry.batch.position(notBefore: timestamp), position.offset < end {
                return (position.timestamp, max(position.offset, self.startOffset))
            }
        }
        return nil
    }

    /// Drops the oldest batches until the rest is no larger than `limit` bytes. The newest batch is always
    /// kept.
    mutating func retain(atMost limit: Int) {
        while self.byteCount > limit, self.entries.count > 1 { self.dropFirst() }
    }

    /// Moves the start offset to `offset`, and drops the batches that lie before it as a whole.
    mutating func truncate(before offset: Int64) {
        while let first = self.entries.first, first.batch.lastOffset < offset { self.dropFirst() }
        self.startOffset = max(self.startOffset, min(offset, self.endOffset))
    }

    private mutating func dropFirst() {
        guard let first = self.entries.popFirst() else { return }
        self.byteCount -= first.batch.bytes.readableBytes
        self.startOffset = max(self.startOffset, first.batch.lastOffset + 1)
    }

    private func position(of index: Int) -> Int {
        index < self.entries.count ? self.entries[offset: index].position : self.endPosition
    }

    /// The index of the first batch that ends at or after `offset`.
    private func index(of offset: Int64) -> Int {
        var (low, high) = (0, self.entries.count)
        while low < high {
            let middle = (low + high) / 2
            if self.entries[offset: middle].batch.lastOffset < offset {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }
}
