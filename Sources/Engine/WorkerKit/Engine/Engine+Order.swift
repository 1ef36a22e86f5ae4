import Logging
import Records
import ServiceKit

// The order of records: the records of a key are called for one after the other (`ordering: key`), or all
// records of a partition are.
extension Engine {
    /// Puts a record at the end of the queue of its key or partition, or into the ready queue if it has to
    /// wait for no other.
    func enqueue(_ id: EntryID) {
        guard let key = self.orderingKey(of: self.table[id].record) else { return self.makeReady(id) }
        switch self.order.enqueue(id, in: key, at: self.now.monotonic) {
        case .first: self.makeReady(id)
        case .behind: self.table.move(id, to: .queued)
        case .letLoose(let records):
            self.logger.warning(
                "order of a key switched off for a while: too many records wait behind one",
                metadata: ["partition": "\(key.partition)", "waiting": "\(records.count)"]
            )
            self.metrics.orderBypassed()
            for id in records { self.makeReady(id) }
        }
    }

    /// Returns the order that a record belongs to; nil if it waits for no other record.
    func orderingKey(of record: InboundRecord) -> OrderingKey? { self.settings.ordering.key(of: record) }

    /// Lets the next record of the same key or partition go ahead, unless this was done before for this
    /// record. Called when the record is settled, or written in a transaction.
    func releaseOrder(of id: EntryID) {
        guard let key = self.orderingKey(of: self.table[id].record),
            let next = self.order.release(id, in: key)
        else { return }
        if self.phase == .working, self.isExpired(next) { return self.expire(next) }
        self.makeReady(next)
    }
}
