import Kafka
import Records
import ServiceKit
import WireFormats

// Retry topics: a record spends a long wait in a topic, where it takes up neither memory nor the window of
// its partition (`ordering: none` only).
//
// The record's offset is done when the broker has acknowledged the copy. The outcome of the copy names the
// record that the publisher published.
extension Engine {
    /// Publishes a copy of a record to the retry topic in which it can wait for this long, if there is one.
    ///
    /// - Returns: False if the record has to wait in hand: the wait is shorter than every topic's, the copy
    ///   is larger than the broker accepts, or the broker has refused a copy before.
    func forward(_ id: EntryID, waiting wait: Duration) -> Bool {
        guard let tier = self.settings.retryTier(for: wait), !self.table[id].mustStay else { return false }
        let entry = self.table[id]
        let source = self.assignments[entry.assignment].partition
        let ticket = RetryTicket(
            of: entry.record,
            attempts: entry.attempts,
            failures: entry.countedFailures,
            receivedAt: entry.receivedAt,
            firstFailedAt: entry.firstFailedAt ?? self.now.wall,
            reason: entry.lastReason?.code ?? "",
            due: self.wallTime(after: tier.delay),
            notBefore: self.wallTime(after: wait),
            from: "\(source.topic)/\(source.partition)/\(entry.offset)",
            place: self.originMark(partition: entry.record.partition)
        )
        let partitions = self.facts.retryPartitions[tier.topic] ?? 1
        let partition = entry.record.partition % Int32(max(1, partitions))
        let copy = ticket.record(of: entry.record, to: tier.topic, partition: partition)
        guard copy.encodedBytesBound <= self.settings.messageBytesLimit else { return false }
        self.publish([copy], for: .copy, of: id)
        return true
    }

    /// Returns a wall-clock time by which this wait has certainly passed. Both the present time and the wait
    /// are rounded up to whole milliseconds.
    private func wallTime(after wait: Duration) -> Int64 {
        self.now.wall.addingClamped(wait.wholeMilliseconds.addingClamped(2))
    }

    /// Lets a record wait in hand, because the broker does not take its copy or its ticket.
    func keepInHand(_ id: EntryID) {
        if case .ticket? = self.table[id].state.publication?.purpose { self.ticketRefused(id) }
        self.table[id].mustStay = true
        let failures = self.table[id].countedFailures
        let delay = self.settings.backoff.delayAboveHalf(afterFailures: failures, using: &self.random)
        let wait = max(delay, self.settings.retryTiers.first?.delay ?? .zero)
        self.backOff(id, for: wait)
    }

    // MARK: intake

    /// The kinds of records that are read.
    enum Arrival {
        /// The record is the publisher's own, from the input topic.
        case original
        /// The record is a copy in a retry topic.
        case copy(RetryTicket)
        /// The record lies in a retry topic and has no ticket that can be read, or one of another topic or cluster, so
        /// no worker of this input has put it there.
        case foreign
    }

    func arrival(of record: InboundRecord, from topic: String) -> Arrival {
        guard topic != self.settings.inputTopic else { return .original }
        guard let ticket = RetryTicket(record.headers), ticket.topic == self.settings.inputTopic else {
            return .foreign
        }
        // A ticket of an earlier version names no place.
        let isOfThisCluster = ticket.place.map { $0 == self.originMark(partition: ticket.partition) } ?? true
        return isOfThisCluster ? .copy(ticket) : .foreign
    }

    /// The mark of a partition of the input, which tickets name: a retry topic that was mirrored from another cluster has
    /// copies of other records.
    private func originMark(partition: Int32) -> String {
        self.place(of: TopicPartition(topic: self.settings.inputTopic, partition: partition)).text
    }

    /// Returns whether a copy is due, and lets its partition wait if not: by the monotonic clock, and for at most one wait
    /// of its topic. A worker whose clock was ahead may have written times that are further off, and all records behind the
    /// copy would wait for them too. The first such copy that has waited in vain shows by how much, and others behind it wait
    /// for that much less.
    func isDue(_ ticket: RetryTicket, in index: Int) -> Bool {
        let early = ticket.due.subtractingClamped(self.now.wall)
        guard early > 0 else {
            self.assignments[index].retrySkew = 0
            return true
        }
        let topic = self.assignments[index].partition.topic
        let delay = self.settings.retryTiers.first { $0.topic == topic }?.delay ?? .zero
        let longest = delay.wholeMilliseconds.addingClamped(2)
        let isFarOff = early > longest
        if self.assignments[index].hasWaited {
            if isFarOff { self.assignments[index].retrySkew = early }
            return true
        }
        let wait = isFarOff ? early.subtractingClamped(self.assignments[index].retrySkew) : early
        guard wait > 0 else { return true }
        self.assignments[index].waitsUntil = self.now.after(.milliseconds(min(wait, longest)))
        return false
    }

    /// Takes up a copy whose wait is over. If the record has to wait for longer, it is forwarded once more,
    /// or waits in hand.
    func resume(_ record: InboundRecord, _ ticket: RetryTicket, in index: Int) {
        let id = self.add(ticket.original(of: record), readAt: record.offset, in: index)
        self.table.withEntry(id) { entry in
            entry.attempts = ticket.attempts
            entry.countedFailures = ticket.failures
            entry.receivedAt = min(ticket.receivedAt, entry.receivedAt)
            entry.firstFailedAt = ticket.firstFailedAt
            entry.lastReason = Reason(ticket.reason, "The last call failed.")
            entry.hasFailed = true
            entry.isCopy = true
        }
        // The wait that remains after the due time is never longer than this difference, because both times
        // are by the same clock, right or wrong.
        let longest = ticket.notBefore.subtractingClamped(ticket.due)
        let rest = Duration.milliseconds(min(longest, ticket.notBefore.subtractingClamped(self.now.wall)))
        guard rest > .zero, !self.isExpired(id) else { return self.makeReady(id) }
        if self.forward(id, waiting: rest) { return }
        self.backOff(id, for: rest)
    }

    /// Makes a dead letter of a record of a retry topic that does not say where it came from.
    func rejectForeign(_ record: InboundRecord, in index: Int) {
        let id = self.add(record, readAt: record.offset, in: index)
        let reason = Reason(
            "retry.no_ticket",
            "It lies in a retry topic, and does not say that it came from this input."
        )
        self.deadLetter(id, Rejection(reason, kind: .undecodable, replayable: .no))
    }

    /// The monotonic time at which the next record of a retry topic is due; nil if no record waits for its
    /// time.
    var nextRetryDue: Int64? {
        guard !self.settings.retryTiers.isEmpty else { return nil }
        // A record that is due already waits for room, and it is not known when there is some.
        return self.assignments.compactMap(\.waitsUntil).filter { $0 > self.now.monotonic }.min()
    }
}

extension EngineSettings {
    /// Returns the topic in which a wait is spent: the one with the longest delay that is not longer than the
    /// wait, so that the rest of the wait can be spent in another. Nil if the wait is shorter than every
    /// delay.
    func retryTier(for wait: Duration) -> RetryTier? {
        self.retryTiers.last { $0.delay <= wait }
    }
}
