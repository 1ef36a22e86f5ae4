import Kafka
import Logging
import Records
import ServiceKit

// Records are read, processed, and sent.
extension StreamEngine {
    /// The number of records after which the clock and the events are looked at again: of those that are processed, and
    /// of those that are sent, because one record can bring thousands.
    private static var batch: Int { 4_096 }

    /// Processes the records that have arrived, or reads states back.
    ///
    /// - Returns: Whether there is more to do at once.
    func work() throws(KafkaError) -> Bool {
        let hasRestored = self.isRestoring ? try self.restore() : false
        guard self.refusal == nil else { return false }
        guard self.stage == .open, !self.isBroken, self.phase == .working, !self.isFull, !self.isPaused else {
            return hasRestored
        }
        self.flush()
        var taken = 0
        let allowed = self.recordsAllowed - self.transactionRecords
        let batch = min(Self.batch, max(0, allowed))
        let lastID = self.lastID + UInt64(Self.batch)
        // The partition that a turn ends with is the last of the next turn, so that it cannot take all turns.
        let (first, count) = (self.nextAssignment, self.assignments.count)
        for index in (0..<count).lazy.map({ (first + $0) % count }) where self.assignments[index].isWorking {
            self.lookAtShortEnd(index)
            guard taken < batch, self.hasRoom(upTo: lastID), !self.isCountDue else { break }
            taken += self.process(index, atMost: batch - taken, sendingUpTo: lastID)
            self.nextAssignment = (index + 1) % count
        }
        if taken > 0 {
            if self.transactionRecords == 0 { self.transactionSince = self.now.monotonic }
            self.transactionRecords += taken
            self.processedRecords += Int64(taken)
            self.metrics.processed(taken)
        }
        return taken > 0 || hasRestored
    }

    /// Whether what the state takes has to be counted before more is processed.
    private var isCountDue: Bool { self.recordsSinceCount >= self.recordsBetweenCounts }

    /// Whether another record may be processed: everything that was put out is sent, and not too much of it.
    private func hasRoom(upTo lastID: UInt64) -> Bool { self.output.isEmpty && self.lastID < lastID }

    /// Processes records of a partition one by one, until one of them has put out more than there is room for.
    private func process(_ index: Int, atMost limit: Int, sendingUpTo lastID: UInt64) -> Int {
        guard self.assignments[index].source.hasArrivals else { return 0 }
        let limit = self.quota?.reserve(atMost: limit) ?? limit
        guard limit > 0 else { return 0 }
        let task = self.assignments[index].task
        let source = self.assignments[index].source
        var position = self.assignments[index].position
        var timestamp = self.assignments[index].lastTimestamp
        var isAtEnd = self.assignments[index].isAtEnd
        var landmark = self.assignments[index].landmark
        var check = self.assignments[index].check
        var shortEnd = self.assignments[index].shortEnd
        var isMadeAnew = false
        self.tellWhetherCrowded(self.assignments[index])
        let take: (consuming InboundRecord) -> Void = { record in
            guard !isMadeAnew else { return }
            shortEnd = nil
            switch check?.look(at: record.offset, timestamp: record.timestamp) {
            case .settled: return
            case .madeAnew: isMadeAnew = true
            case .cutOff:
                self.logCutOff(source.partition)
                check = nil
            case .open, .over, .emptied: check = nil
            case nil: break
            }
            guard !isMadeAnew else { return }
            self.noteTime(of: record)
            self.recordsSinceCount += Self.weight(of: record)
            landmark = record.timestamp.map { Landmark(offset: record.offset, timestamp: $0) }
            position = record.offset + 1
            self.hasTaken = true
            timestamp = record.timestamp ?? timestamp
            isAtEnd = false
            self.give(record, to: task)
            self.flush()
        }
        let failed: (KafkaError) -> Void = { error in
            if error.code == .endOfPartition {
                isAtEnd = true
                let finding = check?.look(atEnd: source.end, now: self.now.monotonic)
                guard finding == nil || finding == .over else { return shortEnd = source.end }
                check = nil
                // Transaction markers are no records, but they take offsets. And a topic that was created
                // again may be shorter than what the group has read of it.
                let standing = position ?? self.assignments[index].committed.offset ?? 0
                guard source.end != standing else { return }
                position = source.end
                self.skipped()
            } else {
                self.lastTrouble = "\(error)"
                self.logger.warning("kafka trouble", metadata: ["error": "\(error)"])
            }
        }
        var taken = 0
        while taken < limit, !isMadeAnew, self.hasRoom(upTo: lastID), !self.isCountDue,
            source.read(atMost: 1, take, failed) > 0
        {
            taken += 1
        }
        self.quota?.giveBack(limit - taken)
        self.assignments[index].position = position
        self.assignments[index].lastTimestamp = timestamp
        self.assignments[index].isAtEnd = isAtEnd
        self.assignments[index].landmark = landmark
        self.assignments[index].check = check
        self.assignments[index].shortEnd = shortEnd
        if isMadeAnew { self.topicMadeAnew(index) }
        return taken
    }

    /// Takes the end of a partition for what it is once it has been too short for a while. It tells nothing if more has
    /// been published since.
    private func lookAtShortEnd(_ index: Int) {
        guard let end = self.assignments[index].shortEnd, !self.assignments[index].source.hasArrivals,
            let finding = self.assignments[index].check?.look(atEnd: end, now: self.now.monotonic),
            finding != .open
        else { return }
        self.assignments[index].shortEnd = nil
        guard finding != .madeAnew else { return self.topicMadeAnew(index) }
        self.logCutOff(self.assignments[index].partition)
        self.assignments[index].check = nil
        self.assignments[index].position = end
        self.skipped()
    }

    /// Notes that the group is to stand at an offset without a record. The next commit says so.
    private func skipped() {
        if !self.hasWork { self.transactionSince = self.now.monotonic }
        self.hasSkipped = true
    }

    /// Sends the records that tasks have put out, as far as there is room in the producer's queue.
    func flush() {
        guard !self.output.isEmpty, !self.isBroken, self.stage == .open || self.stage == .closing else {
            return
        }
        do throws(KafkaError) {
            try self.output.drain { record throws(KafkaError) in
                self.lastID += 1
                try self.broker.send(record, id: self.lastID)
                self.unreported += 1
                self.hasSent = true
            }
        } catch  where error.code == .queueFull {
            return
        } catch {
            self.broken(error)
        }
    }
}
