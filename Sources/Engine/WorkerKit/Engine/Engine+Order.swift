import Logging
import Records
import ServiceKit

// The order of records: the records of a key are called for one after the other (`ordering: key`), or all
// records of a partition are.
extension Engine {
    /// The end of a queue of records that have to go one after the other.
    struct Tail: Sendable {
        var last: EntryID
        /// The number of records behind the first one.
        var waiting = 0
    }

    /// Puts a record at the end of the queue of its key or partition, or into the ready queue if it has to
    /// wait for no other.
    func enqueue(_ id: EntryID) {
        guard let key = self.orderingKey(of: self.table[id].record),
            !self.bypass.isBypassed(key, at: self.now.monotonic)
        else { return self.makeReady(id) }
        guard var tail = self.tails[key] else {
            self.tails[key] = Tail(last: id)
            return self.makeReady(id)
        }
        self.table[tail.last].next = id
        self.table.move(id, to: .queued)
        tail.last = id
        tail.waiting += 1
        self.tails[key] = tail
        if self.bypass.queued(behind: key, count: tail.waiting, at: self.now.monotonic) {
            self.letLoose(key, tail.waiting)
        }
    }

    /// Returns the order that a record belongs to; nil if it waits for no other record.
    func orderingKey(of record: InboundRecord) -> OrderingKey? {
        switch self.settings.ordering {
        case .none: nil
        case .partition: OrderingKey(partition: record.partition, key: nil)
        case .key: record.key.map { OrderingKey(partition: record.partition, key: $0) }
        }
    }

    /// Switches the order of a key off for a while, because too many records wait behind one. The queued
    /// records of the key become ready at once, in the order of their offsets.
    private func letLoose(_ key: OrderingKey, _ waiting: Int) {
        self.logger.warning(
            "order of a key switched off for a while: too many records wait behind one",
            metadata: ["partition": "\(key.partition)", "waiting": "\(waiting)"]
        )
        self.metrics.orderBypassed()
        self.tails[key] = nil
        let mates = self.table.ids.filter { self.orderingKey(of: self.table[$0].record) == key }
        for id in mates.sorted(by: { self.table[$0].offset < self.table[$1].offset }) {
            self.table[id].next = nil
            self.table[id].hasReleasedOrder = true
            guard self.table[id].state.kind == .queued else { continue }
            self.makeReady(id)
        }
    }

    /// Lets the next record of the same key or partition go ahead, unless this was done before for this
    /// record. Called when the record is settled, or written in a transaction.
    func releaseOrder(of id: EntryID) {
        guard !self.table[id].hasReleasedOrder else { return }
        self.table[id].hasReleasedOrder = true
        guard let key = self.orderingKey(of: self.table[id].record) else { return }
        guard let next = self.table[id].next else {
            // No record waits behind this one.
            if self.tails[key]?.last == id { self.tails[key] = nil }
            return
        }
        self.tails[key]?.waiting -= 1
        if self.phase == .working, self.isExpired(next) { return self.expire(next) }
        self.makeReady(next)
    }
}
