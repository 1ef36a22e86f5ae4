import Kafka
import Logging
import Records
import ServiceKit
import WireFormats

// From a verdict to the broker's acknowledgement, after which the offset may be committed.
extension Engine {
    /// Publishes the outcome of a record that does not become a dead letter.
    func settle(_ id: EntryID, as fate: Outcome.Fate, because reason: Reason?, _ answer: (any Sendable)?) {
        self.condemned.settled(at: self.now.monotonic)
        var settlement = Settlement(fate: fate, reason: reason, answer: answer)
        settlement.unknownFields = self.unknownFields(of: id)
        let record = self.outcomeRecord(of: id, &settlement, bytesLimit: self.settings.messageBytesLimit)
        let further = self.channelRecords(of: id, settlement)
        self.publish(further + [record], for: .end(settlement), of: id)
    }

    /// Makes a dead letter of a record: publishes the letter and then, when the broker has acknowledged it,
    /// the outcome that names it. If the budget has no room for the letter, the record waits.
    func deadLetter(_ id: EntryID, _ rejection: Rejection) {
        guard self.affordsDeadLetter(id, rejection) else { return }
        self.writeDeadLetter(id, rejection, from: self.account(of: id, rejection))
    }

    /// Publishes a dead letter and its outcome without asking the budget, and counts the letter against this
    /// account.
    func writeDeadLetter(_ id: EntryID, _ rejection: Rejection, from account: DeadLetterBudgets.Account) {
        self.condemned.letterWritten(against: account, at: self.now.monotonic)
        let entry = self.table[id]
        let notice = self.notice(of: entry, rejection, diedAt: self.now.wall)
        let letter = self.letter(of: entry, notice, bytesLimit: self.settings.messageBytesLimit)
        var settlement = Settlement(
            fate: .deadLettered,
            reason: rejection.reason,
            death: Settlement.Death(rejection: rejection, at: self.now.wall, letter: notice.id)
        )
        // A record that has killed processes is not read again.
        if !self.isDeadly(id) { settlement.unknownFields = self.unknownFields(of: id) }
        let outcome = self.outcomeRecord(of: id, &settlement, bytesLimit: self.settings.messageBytesLimit)
        self.metrics.deadLettered(rejection)
        self.logger.warning(
            "dead letter",
            metadata: self.traced(
                id,
                [
                    "id": "\(notice.id)", "class": "\(rejection.kind.rawValue)",
                    "reason": "\(rejection.reason.code)",
                    "source": "\(entry.record.topic)/\(entry.record.partition)/\(entry.record.offset)",
                ]
            )
        )
        self.publish([letter, outcome], for: .end(settlement), of: id)
    }

    private func notice(of entry: Entry, _ rejection: Rejection, diedAt: Int64) -> DeadLetterNotice {
        DeadLetterNotice(
            source: DeadLetterNotice.Source(
                clusterID: self.facts.clusterID,
                topic: entry.record.topic,
                partition: entry.record.partition,
                offset: entry.record.offset,
                group: self.settings.groupID,
                timestamp: entry.record.timestamp
            ),
            kind: rejection.kind,
            reason: rejection.reason,
            replayable: rejection.replayable,
            attempts: entry.attempts,
            firstFailedAt: entry.firstFailedAt ?? diedAt,
            failedAt: diedAt,
            upstream: entry.attempts > 0 ? self.settings.upstream : nil,
            upstreamStatus: entry.lastStatus,
            worker: self.settings.worker,
            workerVersion: self.settings.workerVersion
        )
    }

    private func letter(of entry: Entry, _ notice: DeadLetterNotice, bytesLimit: Int) -> OutboundRecord {
        let routed = self.settings.deadLetterRoutes.topic(for: notice.reason.code)
        let topic = routed ?? self.settings.deadLetterTopic
        let partitions = self.facts.routedLetterPartitions[topic] ?? self.facts.deadLetterPartitions
        return notice.record(
            of: entry.record,
            to: topic,
            partition: entry.record.partition % Int32(max(1, partitions)),
            encodedBytesLimit: bytesLimit
        )
    }

    /// Gives the broker these records one after the other, then the tombstone of the record's ticket if it
    /// has one. When the last of them is acknowledged, the record leaves.
    ///
    func publish(_ records: [OutboundRecord], for purpose: Publication.Purpose, of id: EntryID) {
        let publication = Publication(records, for: purpose, ticketEnd: self.endOfTicket(of: id))
        self.table.move(id, to: .settling(publication))
        self.sendOrWait(id)
    }

    /// Hands the first unacknowledged record of an entry to the producer. With exactly-once it is sent in a
    /// transaction, and waits if it cannot join one now.
    func sendOrWait(_ id: EntryID) {
        if self.settings.delivery == .exactlyOnce, !self.joinTransaction(id) {
            self.table.waitForTransaction(id)
        } else {
            self.sendNext(of: id)
        }
    }

    private func sendNext(of id: EntryID) {
        guard let publication = self.table[id].state.publication, let record = publication.current else {
            preconditionFailure("nothing to send")
        }
        if self.table.kind(of: id) != .settling { self.table.move(id, to: .settling(publication)) }
        do {
            try self.broker.send(record, id: id.packed)
        } catch {
            self.produceRefused(id, error, wasQueued: false)
        }
    }

    /// Notes a delivery report and sends the next record of the entry, or finishes the entry.
    func produceReported(_ id: EntryID, _ error: KafkaError?) {
        guard self.table.kind(of: id) == .settling else { return self.metrics.staleCompletion() }
        if let error { return self.produceRefused(id, error, wasQueued: true) }
        self.metrics.sent()
        self.refused.endTrouble()
        let isDone = self.table.withPublication(of: id) {
            $0.acknowledgeOne()
            return $0.isAcknowledged
        }
        guard isDone == true else { return self.sendOrWait(id) }
        switch self.settings.delivery {
        case .atLeastOnce: self.finish(id)
        case .exactlyOnce: self.writtenInTransaction(id)
        }
    }

    /// Keeps a record that the producer or the broker has refused, and sends it again later. A produce
    /// failure costs only time.
    ///
    /// - Parameter wasQueued: Whether librdkafka had taken the record into its queue and then gave it up.
    private func produceRefused(_ id: EntryID, _ error: KafkaError, wasQueued: Bool) {
        if error.isFatal, self.settings.delivery == .atLeastOnce { self.fatal = error }
        let isDeadLetter = self.table[id].state.publication?.currentDeath != nil
        if error.code == .queueFull { return self.resendLater(id, Self.queueBackoff) }
        self.metrics.produceFailed(isDeadLetter: isDeadLetter)
        let isNews = self.refused.refused(error, at: self.now)
        let isSmaller = error.code == .messageTooLarge && self.shrink(id)
        if self.settings.delivery == .exactlyOnce, wasQueued || !isSmaller {
            return self.transactionBroken(by: id, error)
        }
        if self.table[id].isRefusedElsewhere { return self.keepInHand(id) }
        if isSmaller { return self.sendOrWait(id) }
        if isNews {
            self.logger.warning(
                "produce failed; will try again",
                metadata: ["error": "\(error)", "dead_letter": "\(isDeadLetter)"]
            )
        }
        self.resendLater(id, self.settings.backoff)
    }

    /// The wait after librdkafka's own queue was full. It is short, because the queue empties as soon as the
    /// broker answers.
    private static var queueBackoff: Backoff { Backoff(base: .milliseconds(10), longest: .milliseconds(100)) }

    private func resendLater(_ id: EntryID, _ backoff: Backoff) {
        self.refused.resendLater(id, backoff, in: &self.table, at: self.now, using: &self.random)
    }

    /// Replaces the refused record of an entry by a smaller one.
    ///
    /// - Returns: Whether there is a smaller record to send. A copy or a ticket has no smaller form, so its
    ///   record then stays in hand.
    private func shrink(_ id: EntryID) -> Bool {
        guard let publication = self.table[id].state.publication, let refused = publication.current else {
            return false
        }
        guard let settlement = publication.settlement else {
            self.table[id].mustStay = true
            return false
        }
        if publication.isInChannel { return self.shrinkChannelRecord(of: id, refused) }
        guard let death = publication.currentDeath else {
            return self.shrinkOutcome(of: id, refused, settlement)
        }
        return self.shrinkLetter(of: id, refused, death)
    }

    /// Replaces a dead letter that is larger than the broker accepts by one that leaves more out. At the end,
    /// the letter only says where the record is.
    ///
    /// - Returns: False if there is nothing left to leave out.
    private func shrinkLetter(of id: EntryID, _ refused: OutboundRecord, _ death: Settlement.Death) -> Bool {
        let entry = self.table[id]
        let notice = self.notice(of: entry, death.rejection, diedAt: death.at)
        let smaller = self.letter(of: entry, notice, bytesLimit: refused.encodedBytesBound - 1)
        guard smaller.encodedBytesBound < refused.encodedBytesBound else { return false }
        self.table.withPublication(of: id) { $0.shrink(to: smaller) }
        return true
    }

    /// Replaces an outcome that is larger than the broker accepts by one that leaves more out.
    ///
    /// - Returns: False if there is nothing left to leave out.
    private func shrinkOutcome(of id: EntryID, _ refused: OutboundRecord, _ settlement: Settlement) -> Bool {
        var settlement = settlement
        guard self.leaveOut(of: refused, &settlement, for: id) else { return false }
        let smaller = self.outcomeRecord(of: id, &settlement, bytesLimit: refused.encodedBytesBound - 1)
        self.table.withPublication(of: id) { $0.shrink(to: smaller, settlement) }
        return true
    }

    /// Sends the records again whose wait after a refusal is over.
    func resendWhatIsDue() {
        while let id = self.refused.popDue(in: &self.table, at: self.now.monotonic) { self.sendOrWait(id) }
    }

    /// Finishes a record: the broker has acknowledged everything about it, and with exactly-once its
    /// transaction is committed. Its offset may be committed from now on.
    func finish(_ id: EntryID) {
        let (index, offset, attempts, receivedAt) = self.table.withEntry(id) { entry in
            (entry.assignment, entry.offset, entry.attempts, entry.receivedAt)
        }
        switch self.table[id].parking {
        case .over: self.finishUnparked(id)
        case .stale:
            self.dropTicket(of: offset, in: index)
            self.assignments[index].finish(offset)
        case .none: self.assignments[index].finish(offset)
        }
        self.progress &+= 1
        self.endSpans(of: id)
        switch self.table[id].state.publication?.purpose {
        case .end(let settlement)?:
            self.settledRecords += 1
            self.metrics
                .settled(settlement.fate, attempts: attempts, milliseconds: self.now.wall - receivedAt)
            // A record that has killed three processes is handed to no part of the handler, and this is one.
            if !self.isDeadly(id) { self.tellSettled(id, settlement) }
            self.forgiveOnceCommitted(id)
        case .copy?:
            self.forgiveOnceCommitted(id)
            self.metrics.forwarded()
        case .ticket?: self.assignments[index].parked.written(offset)
        case nil: preconditionFailure("a record ended without a publication")
        }
        self.releaseOrder(of: id)
        self.table.remove(id)
    }
}
