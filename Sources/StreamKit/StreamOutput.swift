import Kafka
package import Records

/// Where tasks put what is to be published.
package final class StreamOutput {
    private var records: [OutboundRecord] = []
    /// Of them, those that are sent already.
    private var sent = 0

    /// Whether memory is short, so that tasks should begin nothing that can be spared.
    package var isCrowded = false

    package init() {}

    package func send(_ record: OutboundRecord) { self.records.append(record) }

    var isEmpty: Bool { self.sent == self.records.count }

    /// Has a closure send what is there, in order, until it throws; what it threw at stays, and what comes after it. What
    /// is sent is dropped when all is: nothing is processed until then.
    func drain(_ send: (borrowing OutboundRecord) throws(KafkaError) -> Void) throws(KafkaError) {
        while self.sent < self.records.count {
            try send(self.records[self.sent])
            self.sent += 1
        }
        guard self.sent > 0 else { return }
        self.records.removeAll(keepingCapacity: self.records.count <= Self.keptCapacity)
        self.sent = 0
    }

    /// What a flush after every record needs; more is given back.
    private static let keptCapacity = 64

    func removeAll() {
        self.records = []
        self.sent = 0
    }
}
