import Kafka
import Logging
import Records
import ServiceKit
import WireFormats

// From the broker to the ready queue.
extension Engine {
    /// Reads as many records as there is use for.
    ///
    /// The intake closes by itself when enough fresh records are ready. Records that wait for a retry or for
    /// their lane do not close it; only the limits on what is in hand do.
    func takeIn() {
        guard !self.assignments.isEmpty, self.recall == nil, self.mayTakeIn else { return }
        let count = self.assignments.count
        // Each turn begins with another partition, so that no partition is always the last.
        self.nextIntake = (self.nextIntake + 1) % count
        for step in 0..<count {
            guard self.roomInHand > 0 else { return }
            let index = (self.nextIntake + step) % count
            self.takeIn(from: index)
            if let absent = self.assignments[index].progress?.takeAbsent(), absent > 0 {
                self.metrics.absent(absent)
            }
        }
    }

    /// Whether records may be taken in now from the broker if there is room for them: this worker is not paused, and does
    /// not hold as many tickets of parked records as it may.
    private var mayTakeIn: Bool {
        !self.orders.choices.isPaused && self.lot.map { self.parkedTickets < $0.limit } ?? true
    }

    /// The number of records that may come in hand now, from the broker or from parking.
    var roomInHand: Int {
        min(self.readyLimit - self.dispatch.queues.ready.freshCount, self.roomBesideSlots)
    }

    /// The number of records that may come in hand now if they need no slot.
    var roomBesideSlots: Int {
        let forBytes = self.bytesInHand < self.settings.bytesLimit ? Int.max : 0
        let forBound = self.settings.settledBound.map { $0 - self.settledRecords - self.table.count } ?? .max
        return min(self.settings.recordsLimit - self.table.count, forBytes, forBound)
    }

    /// Whether records of retry topics may be taken in. Calls for them have failed before and may fail again, and they
    /// cannot be parked. So they leave the last quarter to the records of the input.
    private var hasRoomForCopies: Bool { !self.isMemoryCrowded }

    /// The number of fresh records to keep ready: twice `concurrency`.
    ///
    /// While an endpoint is in doubt, at least 1,000 are kept. The first of them may all have the same fault,
    /// and a later one may show that the endpoint is well.
    private var readyLimit: Int {
        let usual = self.settings.concurrency * 2
        return self.dispatch.gates.endpoints.areAllWell(at: self.now.monotonic)
            ? usual : max(usual, Self.readyInDoubt)
    }

    private static var readyInDoubt: Int { 1_000 }

    /// Whether another turn would find a record to read that can begin.
    var hasUnreadArrivals: Bool {
        self.phase == .working && self.recall == nil && self.roomInHand > 0 && self.mayTakeIn
            && self.assignments.indices.contains { index in
                self.assignments[index].hasSomethingToRead
                    && self.assignments[index].waitsUntil.map { $0 <= self.now.monotonic } ?? true
                    && (self.assignments[index].partition.topic == self.settings.inputTopic
                        || self.hasRoomForCopies)
            }
    }

    /// The largest number of records that are read at once. The limit on bytes is checked between two reads,
    /// so one read can exceed it by this many records.
    private static var batch: Int { 64 }

    /// Takes in records of one partition: first the ones that were read before and had to wait, then new
    /// ones.
    private func takeIn(from index: Int) {
        if let due = self.assignments[index].waitsUntil {
            guard due <= self.now.monotonic else { return }
            self.assignments[index].waitsUntil = nil
            self.assignments[index].hasWaited = true
        }
        let isRetryTopic = self.assignments[index].partition.topic != self.settings.inputTopic
        var room: Int { isRetryTopic && !self.hasRoomForCopies ? 0 : self.roomInHand }
        while let record = self.assignments[index].overflow.first {
            guard room > 0, self.admit(record, to: index) else { return }
            _ = self.assignments[index].overflow.popFirst()
            self.assignments[index].hasWaited = false
        }
        self.passEnd(of: index)
        let source = self.assignments[index].source
        // Records of a retry topic are read one by one, so that no record is read before its time: it would
        // only take up memory here.
        for _ in 0..<(isRetryTopic ? Self.batch : 1) {
            guard source.hasArrivals, room > 0, self.assignments[index].overflow.isEmpty else { return }
            self.read(from: source, index, atMost: isRetryTopic ? 1 : min(room, Self.batch))
            self.passEnd(of: index)
        }
    }

    private func read(from source: B.Source, _ index: Int, atMost limit: Int) {
        _ = source.read(atMost: limit) { record in
            self.assignments[index].endSeen = nil
            self.assignments[index].readTrouble = nil
            // The timestamp of a copy is this worker's own time.
            if record.topic == self.settings.inputTopic { self.noteTime(of: record) }
            // Once a record has to wait, the records after it wait behind it.
            if !self.assignments[index].overflow.isEmpty || !self.admit(record, to: index) {
                self.assignments[index].overflow.append(record)
            }
        } _: { error in
            guard error.code != .endOfPartition else {
                self.assignments[index].endSeen = source.end
                return self.assignments[index].readTrouble = nil
            }
            self.assignments[index].readTrouble = Trouble(error, since: self.now.monotonic)
            self.logger.warning(
                "cannot read",
                metadata: ["partition": "\(source.partition)", "error": "\(error)"]
            )
        }
    }

    /// Takes a record in, or skips it if it was settled before.
    ///
    /// - Returns: False if the record has to wait: an older record has to finish first, its time in a retry
    ///   topic is not over, or the log is not the one that the commit speaks of.
    private func admit(_ record: InboundRecord, to index: Int) -> Bool {
        let arrival = self.arrival(of: record, from: self.assignments[index].partition.topic)
        if case .copy(let ticket) = arrival, !self.isDue(ticket, in: index) { return false }
        let admission = self.assignments[index].admit(record.offset, timestamp: record.timestamp)
        if admission == .beginAgain { self.logBeginsAgain(index, at: record.offset) }
        switch admission {
        case .wait: return false
        case .madeAnew:
            self.topicMadeAnew(index)
            return false
        case .cutOff:
            self.logCutOff(index)
            return false
        case .passed: break
        case .skip:
            self.metrics.skipped()
            self.progress &+= 1
        case .begin, .beginAgain:
            switch arrival {
            case .original: self.begin(record, in: index)
            case .copy(let ticket): self.resume(record, ticket, in: index)
            case .foreign: self.rejectForeign(record, in: index)
            }
        }
        return true
    }

    /// Puts a record of the input topic in hand.
    private func begin(_ record: InboundRecord, in index: Int) {
        guard self.assignments[index].parked.isEmpty else { return self.beginBesideParked(record, in: index) }
        self.enqueue(self.add(record, readAt: record.offset, in: index))
    }

    /// Adds a record to the table. The caller puts it into a queue.
    ///
    /// - Parameters:
    ///   - offset: The offset at which the record was read. For a record of a retry topic, it differs from
    ///     the offset of the publisher's record.
    ///   - index: The index of the record's partition in `assignments`.
    ///   - isNew: False for a parked record that comes back, because it was counted before.
    func add(_ record: InboundRecord, readAt offset: Int64, in index: Int, isNew: Bool = true) -> EntryID {
        // The deadline counts from the record's own timestamp, because the wall clock here may be behind. If
        // the timestamp lies in the future, the monotonic clock bounds the wait: no record waits for longer
        // than one that is published now.
        var entry = Entry(
            record: record,
            assignment: index,
            offset: offset,
            deadline: self.deadline(of: record.timestamp),
            expiresAt: self.end(of: record.timestamp),
            receivedAt: self.now.wall
        )
        if let tracer = self.tracer { entry.spans = tracer.begin(record, entry.trace) }
        self.assignments[index].inHand += 1
        if isNew { self.metrics.received() }
        return self.table.add(entry)
    }

    /// Returns the wall-clock time of a record's deadline, in milliseconds since 1970.
    private func deadline(of timestamp: Int64?) -> Int64 {
        (timestamp ?? self.deadlineNow).addingClamped(self.settings.deadline.wholeMilliseconds)
    }

    /// Returns the monotonic time at which the life of a record is over that is taken in now, whatever the wall clock will
    /// say, in nanoseconds.
    func end(of timestamp: Int64?) -> Int64 {
        let left = max(0, self.deadline(of: timestamp).subtractingClamped(self.deadlineNow))
        let most = self.settings.deadline.wholeMilliseconds
        return self.now.after(.milliseconds(min(left, most).addingClamped(1)))
    }
}

extension InboundRecord {
    /// The memory that this record takes in hand, in bytes: its own bytes, and an allowance of 512 for the
    /// entry and of 64 for each header.
    var approximateBytes: Int {
        let headers = self.headers.reduce(0) { $0 + $1.name.utf8.count + ($1.value?.count ?? 0) + 64 }
        return 512 + (self.key?.count ?? 0) + (self.value?.count ?? 0) + headers
    }
}
