import Kafka
import Logging
import Records
import WireFormats

// From the broker to the ready queue.
extension Engine {
    /// Reads as much as there is use for. The intake closes by itself when enough records are ready; those that
    /// wait for a retry or for their lane do not close it, only the bounds on what is in hand do.
    func takeIn() {
        guard !self.assignments.isEmpty, self.recall == nil else { return }
        let count = self.assignments.count
        // Each turn begins with another partition, so that none is always last.
        self.nextIntake = (self.nextIntake + 1) % count
        for step in 0..<count {
            guard self.intakeRoom > 0 else { return }
            self.takeIn(from: (self.nextIntake + step) % count)
        }
    }

    /// Records that may still be taken in now: none where as many are parked as one worker may hold.
    var intakeRoom: Int {
        if let lot = self.lot, self.parkedTickets >= lot.limit { return 0 }
        return self.roomInHand
    }

    /// Records that may come in hand now, from the broker or from parking.
    var roomInHand: Int {
        let forSlots = self.readyLimit - self.ready.freshCount
        let forBytes = self.bytesInHand < self.settings.bytesLimit ? Int.max : 0
        let forBound = self.settings.settledBound.map { $0 - self.settledRecords - self.table.count } ?? .max
        return min(forSlots, self.settings.recordsLimit - self.table.count, forBytes, forBound)
    }

    /// Fresh records that are kept ready. More of them while an upstream is in doubt: those that came first may all
    /// have the same fault, and one that came later may show that the upstream is well.
    private var readyLimit: Int {
        let usual = self.settings.concurrency * 2
        return self.endpoints.areAllWell(at: self.now.monotonic) ? usual : max(usual, Self.readyInDoubt)
    }

    private static var readyInDoubt: Int { 1_000 }

    /// Whether another turn would find something to read.
    var hasUnreadArrivals: Bool {
        self.phase == .working && self.recall == nil && self.intakeRoom > 0
            && self.assignments.contains {
                $0.hasSomethingToRead && $0.waitsUntil.map { $0 <= self.now.wall } ?? true
            }
    }

    /// Records read at once. The bounds on what is in hand are looked at between batches, so this is how far they
    /// can be overshot.
    private static var batch: Int { 64 }

    private func takeIn(from index: Int) {
        if let due = self.assignments[index].waitsUntil {
            guard due <= self.now.wall else { return }
            self.assignments[index].waitsUntil = nil
            self.assignments[index].hasWaited = true
        }
        while let record = self.assignments[index].overflow.first {
            guard self.intakeRoom > 0, self.admit(record, to: index) else { return }
            _ = self.assignments[index].overflow.popFirst()
            self.assignments[index].hasWaited = false
        }
        self.assignments[index].passEnd(at: self.now.monotonic)
        let source = self.assignments[index].source
        let isRetryTopic = source.partition.topic != self.settings.inputTopic
        // Of a retry topic nothing is read ahead of what is due: it would only lie here.
        for _ in 0..<(isRetryTopic ? Self.batch : 1) {
            guard source.hasArrivals, self.intakeRoom > 0, self.assignments[index].overflow.isEmpty else {
                return
            }
            self.read(from: source, index, atMost: isRetryTopic ? 1 : min(self.intakeRoom, Self.batch))
        }
    }

    private func read(from source: B.Source, _ index: Int, atMost limit: Int) {
        _ = source.read(atMost: limit) { record in
            self.assignments[index].endSeen = nil
            self.assignments[index].readTrouble = nil
            // Once one has to wait, those after it wait behind it.
            if !self.assignments[index].overflow.isEmpty || !self.admit(record, to: index) {
                self.assignments[index].overflow.append(record)
            }
        } _: { error in
            guard error.code != .endOfPartition else {
                self.assignments[index].endSeen = source.end
                self.assignments[index].readTrouble = nil
                return self.assignments[index].passEnd(at: self.now.monotonic)
            }
            self.assignments[index].readTrouble = Trouble(error, since: self.now.monotonic)
            self.logger.warning(
                "cannot read",
                metadata: ["partition": "\(source.partition)", "error": "\(error)"]
            )
        }
    }

    /// - Returns: false if the record has to wait for something older.
    private func admit(_ record: InboundRecord, to index: Int) -> Bool {
        self.noteTime(of: record)
        let arrival = self.arrival(of: record, from: self.assignments[index].partition.topic)
        if case .copy(let ticket) = arrival, ticket.due > self.now.wall, !self.assignments[index].hasWaited {
            self.assignments[index].waitsUntil = self.due(
                of: ticket,
                in: self.assignments[index].partition.topic
            )
            return false
        }
        switch self.assignments[index].admit(record.offset, timestamp: record.timestamp) {
        case .wait: return false
        case .madeAnew:
            self.topicMadeAnew(index)
            return false
        case .passed: break
        case .skip:
            self.metrics.skipped()
            self.progress &+= 1
        case .begin:
            switch arrival {
            case .original: self.begin(record, in: index)
            case .copy(let ticket): self.resume(record, ticket, in: index)
            case .foreign: self.rejectForeign(record, in: index)
            }
        }
        return true
    }

    private func begin(_ record: InboundRecord, in index: Int) {
        guard self.assignments[index].parked.isEmpty else { return self.beginBesideParked(record, in: index) }
        self.enqueue(self.add(record, readAt: record.offset, in: index))
    }

    /// Takes a record in hand; the caller puts it where it belongs.
    ///
    /// - Parameter isNew: whether it was not in hand before.
    func add(_ record: InboundRecord, readAt offset: Int64, in index: Int, isNew: Bool = true) -> EntryID {
        // The clock may be behind, so the deadline is that of the record's own time. Where that lies in the future, the
        // monotonic clock bounds the wait: no record waits for longer than one that is published now.
        let now = self.deadlineNow
        let deadline = (record.timestamp ?? now).addingClamped(self.settings.deadline.wholeMilliseconds)
        let left = min(
            max(0, deadline.subtractingClamped(now)).addingClamped(1),
            self.settings.deadline.wholeMilliseconds.addingClamped(1)
        )
        let bytes = record.approximateBytes
        var entry = Entry(
            record: record,
            assignment: index,
            offset: offset,
            state: .ready,
            receivedAt: self.now.wall,
            deadline: deadline,
            expiresAt: self.now.after(.milliseconds(left)),
            bytes: bytes
        )
        if !record.headers.isEmpty { entry.trace = TraceContext(record.headers) }
        self.assignments[index].inHand += 1
        if isNew {
            self.metrics.received()
            self.progress &+= 1
        }
        return self.table.add(entry)
    }
}

extension InboundRecord {
    /// What it takes to keep this record in hand: its bytes, and an allowance for the entry around them.
    var approximateBytes: Int {
        let headers = self.headers.reduce(0) { $0 + $1.name.utf8.count + ($1.value?.count ?? 0) + 64 }
        return 512 + (self.key?.count ?? 0) + (self.value?.count ?? 0) + headers
    }
}
