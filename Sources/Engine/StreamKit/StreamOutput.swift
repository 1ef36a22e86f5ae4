package import Records

/// The records that tasks put out, until they are sent.
package final class StreamOutput {
    private var records: [OutboundRecord] = []
    /// The number of records at the front that are sent already.
    private var sent = 0

    /// Whether memory is short for the task that puts out, so that it should begin nothing that can be spared.
    package var isCrowded = false
    /// The bytes that the task should give up, because the states take more memory than they may. No record is processed
    /// until they take less.
    package var excess = 0

    package init() {}

    /// Puts out a record. It becomes part of the current transaction.
    package func send(_ record: OutboundRecord) { self.records.append(record) }

    /// Whether every record is sent.
    var isEmpty: Bool { self.sent == self.records.count }

    /// Sends the records in order, until `send` throws. The record at which it threw stays, and so do the
    /// records after it. Sent records are dropped only when all are sent; until then nothing is processed.
    package func drain<Fault: Error>(
        _ send: (borrowing OutboundRecord) throws(Fault) -> Void
    ) throws(Fault) {
        while self.sent < self.records.count {
            try send(self.records[self.sent])
            self.sent += 1
        }
        guard self.sent > 0 else { return }
        self.records.removeAll(keepingCapacity: self.records.count <= Self.keptCapacity)
        self.sent = 0
    }

    /// The capacity that is kept: it is what a flush after every record needs. A larger one is given back.
    private static let keptCapacity = 64

    func removeAll() {
        self.records = []
        self.sent = 0
    }
}
