import Kafka
import Logging
import Records
import WireFormats

// A record that kills the process is delivered again to the next one, and kills that too: no limit on attempts ever
// sees it. So each is marked while the handler has it, and whoever was found to have killed twice is handled no more.
extension Engine {
    /// Deaths after which a record is not handled again.
    static var deadlyTwice: Int { 2 }

    /// Runs the handler on a record, so that it is known whose fault it was if the process does not come back.
    func handling<Result>(_ id: EntryID, _ body: () -> Result) -> Result {
        guard let crashes = self.crashes else { return body() }
        self.table.withEntry(id) {
            crashes.mark(topic: $0.record.topic, partition: $0.record.partition, offset: $0.record.offset)
        }
        defer { crashes.clear() }
        return body()
    }

    /// Whether this record has killed as many processes as it may.
    func isDeadly(_ id: EntryID) -> Bool {
        guard let crashes = self.crashes, crashes.hasDeaths else { return false }
        return self.deaths(by: id, in: crashes) >= Self.deadlyTwice
    }

    private func deaths(by id: EntryID, in crashes: CrashRecorder) -> Int {
        self.table.withEntry(id) {
            crashes.deaths(of: $0.record.topic, partition: $0.record.partition, offset: $0.record.offset)
        }
    }

    func rejectDeadly(_ id: EntryID) {
        let reason = Reason("crash_loop", "The worker died twice while it was handling this record.")
        self.deadLetter(id, Rejection(reason, kind: .rejected, replayable: .afterFix))
    }

    /// A record is settled: whatever it did before is of no more interest.
    func forgive(_ id: EntryID) {
        guard let crashes = self.crashes, crashes.hasDeaths, self.deaths(by: id, in: crashes) > 0 else {
            return
        }
        self.table.withEntry(id) {
            crashes.forgive(topic: $0.record.topic, partition: $0.record.partition, offset: $0.record.offset)
        }
        self.tellOfCrashes()
    }

    /// The partitions that have just come may be those of somebody who has just died.
    func takeStockOfCrashes() {
        self.crashes?.takeStock()
        self.tellOfCrashes()
    }

    private func tellOfCrashes() {
        self.logger.tell(ofCrashGuard: self.crashes?.takeWarnings() ?? [])
    }
}
