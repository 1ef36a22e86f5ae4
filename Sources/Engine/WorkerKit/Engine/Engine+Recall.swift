import Kafka
import Logging
import Records
import ServiceKit

// Before a partition is worked on, the tickets of its parked records are read, because they say which records
// of which keys come first (`Recall`).
extension Engine {
    /// Begins to read the tickets of the partitions that were just assigned. Until they are known, no record
    /// is taken in.
    ///
    /// A worker that was killed may have sent tickets that reach their topic a moment after its partitions were given
    /// to this one. A ticket that is not seen stays when its record is settled, and a later owner would call for the
    /// record a second time. So reading begins a moment later, save where no worker can have been before, and with
    /// exactly-once, where the transaction of the killed worker is aborted.
    func beginRecall() {
        guard self.lot != nil else { return }
        let hadOwners = self.assignments.contains { $0.committed.offset != nil }
        let mayBeLate = hadOwners && self.settings.delivery == .atLeastOnce
        self.recall = Recall(notBefore: mayBeLate ? self.now.after(Self.lateTickets) : .min)
    }

    /// How late a ticket of a killed worker is expected at most.
    private static var lateTickets: Duration { .milliseconds(500) }

    /// Reads the tickets that have arrived, and ends the recall when all are read.
    ///
    /// - Throws: The error of the reader if it is fatal. After any other error, reading is tried again a
    ///   second later.
    func advanceRecall() throws(KafkaError) {
        guard let lot = self.lot, let recall = self.recall, self.now.monotonic >= recall.retryAt else {
            return
        }
        do {
            guard recall.ends != nil else { return try self.startRecall(lot) }
            try self.readTickets(lot)
            if self.recall?.isRead(upTo: lot.memory.readEnd) == true { try self.endRecall(lot) }
        } catch {
            guard !error.isFatal else { throw error }
            self.recallFailed(error)
        }
    }

    private func startRecall(_ lot: ParkingLot) throws(KafkaError) {
        var marks: [TopicPartition: PartitionMark] = [:]
        for assignment in self.assignments
        where assignment.partition.topic == self.settings.inputTopic
            && assignment.partition.partition < lot.partitions
        {
            marks[lot.place(of: assignment.partition)] = assignment.place
        }
        let ends = try lot.memory.ends(of: Array(marks.keys)).filter { $0.value > 0 }
        guard !ends.isEmpty else { return self.recall = nil }
        try lot.memory.start(Array(ends.keys))
        self.recall?.begin(to: ends, marks: marks)
    }

    /// Reads the tickets that have arrived.
    ///
    /// - Throws: An error that is fatal. A ticket may be missing then, and its record would be taken for one
    ///   that was never parked.
    private func readTickets(_ lot: ParkingLot) throws(KafkaError) {
        var fatal: KafkaError?
        var isMore = true
        while isMore {
            let count = lot.memory.read(atMost: Self.ticketBatch) {
                self.recall?.take($0)
            } _: { error in
                if error.isFatal { fatal = error } else { self.recallFailed(error) }
            }
            if let fatal { throw fatal }
            isMore = count == Self.ticketBatch
        }
    }

    private static var ticketBatch: Int { 10_000 }

    private func endRecall(_ lot: ParkingLot) throws(KafkaError) {
        guard let recall = self.recall else { return }
        for index in self.assignments.indices
        where self.assignments[index].partition.topic == self.settings.inputTopic {
            let place = lot.place(of: self.assignments[index].partition)
            guard let parked = recall.parked(in: place, end: self.end) else { continue }
            self.assignments[index].parked = parked
        }
        self.tellParkedOfOrder()
        self.recall = nil
        let parked = self.parkedTickets
        if parked > 0 {
            self.logger.notice("parked records taken over", metadata: ["records": "\(parked)"])
        }
        if recall.strangers > 0 {
            self.logger.error(
                "the parking topic has tickets of another cluster: the records that they stand for are not called for",
                metadata: ["topic": "\(lot.topic)", "tickets": "\(recall.strangers)"]
            )
        }
        try lot.memory.stop()
    }

    private func recallFailed(_ error: KafkaError) {
        guard self.recall?.failed(error, at: self.now) == true else { return }
        self.logger.warning("tickets of parked records not known yet", metadata: ["error": "\(error)"])
    }
}
