package import Records
import WorkerKit

/// Where tasks put what is to be published.
package final class StreamOutput {
    private var records = Fifo<OutboundRecord>()
    /// What could not be sent yet and goes first.
    private var held: OutboundRecord?

    package init() {}

    package func send(_ record: OutboundRecord) { self.records.append(record) }

    var isEmpty: Bool { self.held == nil && self.records.isEmpty }

    func next() -> OutboundRecord? {
        defer { self.held = nil }
        return self.held ?? self.records.popFirst()
    }

    /// Takes back what came last out of `next`.
    func hold(_ record: OutboundRecord) { self.held = record }

    func removeAll() {
        self.records = Fifo()
        self.held = nil
    }
}
