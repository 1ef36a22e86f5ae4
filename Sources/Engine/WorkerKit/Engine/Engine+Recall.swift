import Kafka
import Logging
import Records
import ServiceKit

// Before a partition is worked on, the tickets of its parked records are read, because they say which records
// of which keys come first. The reading time depends on the number of tickets, not on the size of the parked
// records.
extension Engine {
    /// Begins to read the tickets of the partitions that were just assigned. Until they are known, no record
    /// is taken in.
    func beginRecall() {
        guard self.lot != nil else { return }
        self.recall = Recall()
    }

    /// Reads the tickets that have arrived, and ends the recall when all are read.
    ///
    /// - Throws: The error of the reader if it is fatal. After any other error, reading is tried again a
    ///   second later.
    func advanceRecall() throws(KafkaError) {
        guard let lot = self.lot, let recall = self.recall, self.now.monotonic >= recall.retryAt else {
            return
        }
        do {
            guard let ends = recall.ends else { return try self.startRecall(lot) }
            try self.readTickets(lot)
            let isRead = ends.allSatisfy { partition, end in
                (lot.memory.readEnd(of: partition) ?? -1) >= end
            }
            if isRead { try self.endRecall(lot) }
        } catch {
            guard !error.isFatal else { throw error }
            self.recallFailed(error)
        }
    }

    private func startRecall(_ lot: ParkingLot) throws(KafkaError) {
        let places = self.assignments.map(\.partition).filter {
            $0.topic == self.settings.inputTopic && $0.partition < lot.partitions
        }.map { lot.place(of: $0) }
        let ends = try lot.memory.ends(of: places).filter { $0.value > 0 }
        guard !ends.isEmpty else { return self.recall = nil }
        try lot.memory.start(Array(ends.keys))
        self.recall?.ends = ends
    }

    /// Reads the tickets that have arrived.
    ///
    /// - Throws: An error that is fatal. A ticket may be missing then, and its record would be taken for one
    ///   that was never parked.
    private func readTickets(_ lot: ParkingLot) throws(KafkaError) {
        var fatal: KafkaError?
        let places = Dictionary(
            self.assignments.map { (lot.place(of: $0.partition), $0.place) },
            uniquingKeysWith: { first, _ in first }
        )
        var isMore = true
        while isMore {
            let count = lot.memory.read(atMost: Self.ticketBatch) { record in
                self.recall?.trouble = nil
                let partition = TopicPartition(topic: record.topic, partition: record.partition)
                guard let place = places[partition] else { return }
                switch ParkingTicket.line(record, at: place) {
                case .ticket(let ticket):
                    self.recall?.tickets[partition, default: [:]][ticket.offset] = ticket
                case .end(let offset): self.recall?.tickets[partition]?[offset] = nil
                case .otherPlace, .unreadable: self.recall?.strangers += 1
                }
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
        for index in self.assignments.indices {
            guard self.assignments[index].partition.topic == self.settings.inputTopic,
                let tickets = recall.tickets[lot.place(of: self.assignments[index].partition)],
                !tickets.isEmpty
            else { continue }
            self.assignments[index].parked = ParkedRecords(tickets.values)
        }
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
        if self.recall?.trouble == nil {
            self.logger.warning("tickets of parked records not known yet", metadata: ["error": "\(error)"])
        }
        let since = self.recall?.trouble?.since ?? self.now.monotonic
        self.recall?.trouble = Trouble(error, since: since)
        self.recall?.retryAt = self.now.after(.seconds(1))
    }
}
