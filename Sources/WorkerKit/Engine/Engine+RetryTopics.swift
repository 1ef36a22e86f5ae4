import Kafka
import Records
import WireFormats

// Long waits are spent in a retry topic, where they take up neither memory nor the window of their partition
// (`ordering: none` only). The record's offset is done when the broker has the copy; what becomes of the copy is told
// under the name of the record that the publisher published.
extension Engine {
    /// Publishes a record to the retry topic in which it can wait for so long, if there is one.
    ///
    /// - Returns: false if it has to wait in hand.
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
            from: "\(source.topic)/\(source.partition)/\(entry.offset)"
        )
        let partitions = self.facts.retryPartitions[tier.topic] ?? 1
        let partition = entry.record.partition % Int32(max(1, partitions))
        let copy = ticket.record(of: entry.record, to: tier.topic, partition: partition)
        guard copy.encodedBytesBound <= self.settings.messageBytesLimit else { return false }
        self.publish([copy], nil, for: id)
        return true
    }

    /// A wall-clock time by which so long has certainly passed: what is less than a millisecond is rounded up, on
    /// both sides.
    private func wallTime(after wait: Duration) -> Int64 {
        self.now.wall.addingClamped(wait.wholeMilliseconds.addingClamped(2))
    }

    /// The broker does not take the copy: the record has to wait in hand after all.
    func keepInHand(_ id: EntryID) {
        self.settlingCount -= 1
        if self.table[id].parking == .begun { self.ticketRefused(id) }
        let failures = self.table.withEntry(id) { entry in
            entry.mustStay = true
            entry.outbound = []
            entry.acknowledged = 0
            entry.isInTransaction = false
            entry.state = .backingOff
            return entry.countedFailures
        }
        let delay = self.settings.backoff.delayAboveHalf(afterFailures: failures, using: &self.random)
        let wait = max(delay, self.settings.retryTiers.first?.delay ?? .zero)
        self.backingOff.add(id, due: self.now.after(wait))
    }

    // MARK: intake

    /// What a record that was read is.
    enum Arrival {
        /// The publisher's own.
        case original
        /// A copy in a retry topic.
        case copy(RetryTicket)
        /// It lies in a retry topic, and somebody else has put it there.
        case foreign
    }

    func arrival(of record: InboundRecord, from topic: String) -> Arrival {
        guard topic != self.settings.inputTopic else { return .original }
        return RetryTicket(record.headers).map { .copy($0) } ?? .foreign
    }

    /// When a copy is due, in wall-clock milliseconds: no later than one wait of its topic from now. A worker whose clock
    /// was ahead wrote a time that is far off, and everything behind it would wait too.
    func due(of ticket: RetryTicket, in topic: String) -> Int64 {
        let delay = self.settings.retryTiers.first { $0.topic == topic }?.delay ?? .zero
        return min(ticket.due, self.wallTime(after: delay))
    }

    /// Takes up a copy whose wait is over, and sends it on if it has to wait for longer.
    func resume(_ record: InboundRecord, _ ticket: RetryTicket, in index: Int) {
        let id = self.add(ticket.original(of: record), readAt: record.offset, in: index)
        self.table.withEntry(id) { entry in
            entry.attempts = ticket.attempts
            entry.countedFailures = ticket.failures
            entry.receivedAt = min(ticket.receivedAt, entry.receivedAt)
            entry.firstFailedAt = ticket.firstFailedAt
            entry.lastReason = Reason(ticket.reason, "The last call failed.")
        }
        // What is left at the time that it is due is never more than this, whatever the clock of its writer said.
        let longest = ticket.notBefore.subtractingClamped(ticket.due)
        let rest = Duration.milliseconds(min(longest, ticket.notBefore.subtractingClamped(self.now.wall)))
        guard rest > .zero, !self.isExpired(id) else { return self.makeReady(id) }
        if self.forward(id, waiting: rest) { return }
        self.table[id].state = .backingOff
        self.backingOff.add(id, due: self.now.after(rest))
    }

    /// A record of a retry topic that does not say what it is.
    func rejectForeign(_ record: InboundRecord, in index: Int) {
        let id = self.add(record, readAt: record.offset, in: index)
        let reason = Reason(
            "retry.no_ticket",
            "It lies in a retry topic and does not say where it came from."
        )
        self.deadLetter(id, Rejection(reason, kind: .undecodable, replayable: .no))
    }

    /// When the first record of a retry topic is due; nil if none waits.
    var nextRetryDue: Int64? {
        guard !self.settings.retryTiers.isEmpty else { return nil }
        // What is due already waits for room, and no time brings that.
        let due = self.assignments.compactMap(\.waitsUntil).filter { $0 > self.now.wall }.min()
        return due.map { self.now.after(.milliseconds(max(0, $0.addingClamped(-self.now.wall)))) }
    }
}

extension EngineSettings {
    /// The topic to spend a wait in: the longest that is not longer than the wait, so that what is left of it can
    /// be spent in another; nil if the wait is shorter than all.
    func retryTier(for wait: Duration) -> RetryTier? {
        self.retryTiers.last { $0.delay <= wait }
    }
}
