/// The open and the aborted transactions of a partition.
struct TransactionIndex {
    /// A transaction whose records a `read_committed` reader must skip. From Kafka's `AbortedTxn`.
    struct Aborted: Equatable {
        var producerID: Int64
        var firstOffset: Int64
        /// The offset of the transaction's marker.
        var lastOffset: Int64
    }

    /// The first offset of each open transaction, by producer id.
    private var open: [Int64: Int64] = [:]
    /// The aborted transactions, in the order of their markers.
    private var aborted: [Aborted] = []

    /// The first offset that belongs to an open transaction; nil if none is open.
    var firstUndecided: Int64? { self.open.values.min() }

    mutating func began(by producerID: Int64, at offset: Int64) {
        if self.open[producerID] == nil { self.open[producerID] = offset }
    }

    mutating func ended(by producerID: Int64, _ outcome: TransactionOutcome, at marker: Int64) {
        guard let first = self.open.removeValue(forKey: producerID), outcome == .abort else { return }
        self.aborted.append(Aborted(producerID: producerID, firstOffset: first, lastOffset: marker))
    }

    /// The aborted transactions that overlap `offsets`, and that a reader of those offsets must know.
    func aborted(in offsets: Range<Int64>) -> [Aborted] {
        self.aborted.filter { $0.lastOffset >= offsets.lowerBound && $0.firstOffset < offsets.upperBound }
    }

    /// Forgets the aborted transactions that ended before `offset`.
    mutating func truncate(before offset: Int64) {
        if self.aborted.first.map({ $0.lastOffset < offset }) == true {
            self.aborted.removeAll { $0.lastOffset < offset }
        }
    }
}
