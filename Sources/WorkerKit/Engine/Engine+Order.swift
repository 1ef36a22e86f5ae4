import Logging
import Records

// Records of one key one after the other (`ordering: key`), or all of a partition.
extension Engine {
    /// The end of a queue of records of one order.
    struct Tail: Sendable {
        var last: EntryID
        /// Records behind the one that is worked on.
        var waiting = 0
    }

    /// Puts a record where it belongs: behind the last of its order, or ready.
    func enqueue(_ id: EntryID) {
        guard let key = self.orderingKey(of: self.table[id].record),
            !self.bypass.isBypassed(key, at: self.now.monotonic)
        else { return self.makeReady(id) }
        guard var tail = self.tails[key] else {
            self.tails[key] = Tail(last: id)
            return self.makeReady(id)
        }
        self.table[tail.last].next = id
        self.table[id].state = .queued
        tail.last = id
        tail.waiting += 1
        self.tails[key] = tail
        if self.bypass.queued(behind: key, count: tail.waiting, at: self.now.monotonic) {
            self.letLoose(key, tail.waiting)
        }
    }

    func orderingKey(of record: InboundRecord) -> OrderingKey? {
        switch self.settings.ordering {
        case .none: nil
        case .partition: OrderingKey(partition: record.partition, key: nil)
        case .key: record.key.map { OrderingKey(partition: record.partition, key: $0) }
        }
    }

    /// Too many wait behind one: from now on, and for a while, nobody waits for another of this key.
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
            guard self.table[id].state == .queued else { continue }
            self.makeReady(id)
        }
    }

    /// Lets the next record of the same key go ahead. Called when this one is settled.
    func releaseOrder(of id: EntryID) {
        guard !self.table[id].hasReleasedOrder else { return }
        self.table[id].hasReleasedOrder = true
        guard let key = self.orderingKey(of: self.table[id].record) else { return }
        guard let next = self.table[id].next else {
            // Nobody is behind it.
            if self.tails[key]?.last == id { self.tails[key] = nil }
            return
        }
        self.tails[key]?.waiting -= 1
        if self.phase == .working, self.isExpired(next) { return self.expire(next) }
        self.makeReady(next)
    }
}
