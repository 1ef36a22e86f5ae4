import Kafka
import Logging
import Records
import ServiceKit
import WireFormats

// A record that kills the process is delivered again to the next process and kills that too. No limit on
// attempts ever sees it, because the process dies before it can count.
//
// So each record is marked while the handler has it. A record that was found to have killed three processes is
// not handed to the handler again; it becomes a dead letter.
extension Engine {
    /// Runs a part of the handler on a record, and marks the record meanwhile. If the process dies, the mark
    /// names the record.
    func handling<Result>(_ id: EntryID, _ body: () -> Result) -> Result {
        guard let crashes = self.crashes else { return body() }
        self.table.withEntry(id) {
            crashes.mark(topic: $0.record.topic, partition: $0.record.partition, offset: $0.record.offset)
        }
        defer { crashes.clear() }
        return body()
    }

    /// Returns whether this record has killed so many processes that it must not be handled again.
    func isDeadly(_ id: EntryID) -> Bool {
        guard let crashes = self.crashes, crashes.hasDeaths else { return false }
        return self.deaths(by: id, in: crashes) >= CrashRecorder.deadly
    }

    private func deaths(by id: EntryID, in crashes: CrashRecorder) -> Int {
        self.table.withEntry(id) {
            crashes.deaths(of: $0.record.topic, partition: $0.record.partition, offset: $0.record.offset)
        }
    }

    /// Makes a dead letter of a record that must not be handled again.
    func rejectDeadly(_ id: EntryID) {
        self.deadLetter(id, Rejection(.crashLoop, kind: .rejected, replayable: .afterFix))
    }

    /// Removes a settled record from the crash ledger as soon as the group has committed that it is settled. With
    /// exactly-once that has just happened.
    func forgiveOnceCommitted(_ id: EntryID) {
        guard let crashes = self.crashes, crashes.hasDeaths, self.deaths(by: id, in: crashes) > 0 else {
            return
        }
        let place = self.table.withEntry(id) {
            CrashLedger.Place(
                topic: $0.record.topic,
                partition: $0.record.partition,
                offset: $0.record.offset
            )
        }
        // A place that no record can have is in no ledger.
        guard let place else { return }
        switch self.settings.delivery {
        case .atLeastOnce: self.settledSuspects.settled(place)
        case .exactlyOnce: self.forgive([place])
        }
    }

    /// Removes records from the crash ledger.
    func forgive(_ places: [CrashLedger.Place]) {
        guard !places.isEmpty else { return }
        for place in places {
            self.crashes?.forgive(topic: place.topic, partition: place.partition, offset: place.offset)
        }
        self.tellOfCrashes()
    }

    /// Reads the marks of dead processes. The partitions that were just assigned may come from a process that
    /// has just died.
    func takeStockOfCrashes() {
        self.crashes?.takeStock()
        self.tellOfCrashes()
    }

    private func tellOfCrashes() {
        self.logger.tell(ofCrashGuard: self.crashes?.takeWarnings() ?? [])
    }
}
