import Records
import ServiceKit

/// The key of an order: records with equal keys are worked on one after the other.
package struct OrderingKey: Hashable, Sendable {
    var partition: Int32
    /// The key of the records; nil if all records of the partition are in one order.
    var key: [UInt8]?
}

extension EngineSettings.Ordering {
    /// Returns the order that a record belongs to; nil if it waits for no other record.
    func key(of record: InboundRecord) -> OrderingKey? {
        switch self {
        case .none: nil
        case .partition: OrderingKey(partition: record.partition, key: nil)
        case .key: record.key.map { OrderingKey(partition: record.partition, key: $0) }
        }
    }
}

/// The queues of records that go one after the other: the first of a queue is worked on, and the others wait
/// for it. A queue exists as long as its first record is in hand.
struct RecordOrder: Sendable {
    private struct Queue: Sendable {
        var first: EntryID
        var waiting = Fifo<EntryID>()
    }

    /// The place of a record that was put into its queue.
    enum Place {
        /// The record waits for no other.
        case first
        case behind
        /// Too many records waited behind the first one, so the order of the key is off for a while. These
        /// records, of which the new one is the last, wait for no other any more.
        case letLoose([EntryID])
    }

    private var queues: [OrderingKey: Queue] = [:]
    private var bypass: KeyBypass<OrderingKey>

    init(_ bypass: KeyBypass<OrderingKey>.Settings) { self.bypass = KeyBypass(bypass) }

    var isEmpty: Bool { self.queues.isEmpty }

    /// The first records of the queues in which others wait, in the order of their places in the table.
    var crowdedFirsts: [EntryID] {
        self.queues.values.filter { !$0.waiting.isEmpty }.map(\.first).sorted { $0.index < $1.index }
    }

    /// Puts a record at the end of the queue of its key.
    ///
    /// - Parameter now: The monotonic time, in nanoseconds.
    mutating func enqueue(_ id: EntryID, in key: OrderingKey, at now: Int64) -> Place {
        guard !self.bypass.isBypassed(key, at: now) else { return .first }
        // The key is hashed once for all that is done with its queue.
        guard let index = self.queues.index(forKey: key) else {
            self.queues[key] = Queue(first: id)
            return .first
        }
        self.queues.values[index].waiting.append(id)
        let count = self.queues.values[index].waiting.count
        guard self.bypass.queued(behind: key, count: count, at: now) else { return .behind }
        return .letLoose(self.queues.remove(at: index).value.waiting.elements)
    }

    /// Lets the next record of a queue go ahead, if this record is the first of the queue.
    ///
    /// - Returns: The next record; nil if none waits, or the record is not the first.
    mutating func release(_ id: EntryID, in key: OrderingKey) -> EntryID? {
        guard let index = self.queues.index(forKey: key), self.queues.values[index].first == id else {
            return nil
        }
        guard let next = self.queues.values[index].waiting.popFirst() else {
            self.queues.remove(at: index)
            return nil
        }
        self.queues.values[index].first = next
        return next
    }

    /// Takes records out of a queue, from its end.
    ///
    /// - Parameter kept: The number of records behind the first one that stay.
    /// - Returns: The records that were taken out, in order; none if the record is not the first.
    mutating func cut(behind id: EntryID, in key: OrderingKey, keeping kept: Int) -> [EntryID] {
        guard let queue = self.queues[key], queue.first == id, queue.waiting.count > kept else { return [] }
        let waiting = queue.waiting.elements
        var stays = Fifo<EntryID>()
        for id in waiting.prefix(kept) { stays.append(id) }
        self.queues[key]?.waiting = stays
        return Array(waiting.dropFirst(kept))
    }

    /// Takes out all records, because none is in hand any more. Keys without an order stay so.
    mutating func removeAll() { self.queues = [:] }
}
