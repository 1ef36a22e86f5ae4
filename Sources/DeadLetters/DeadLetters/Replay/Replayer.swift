import EventThread
import Kafka
import Records
import WireFormats

/// Replays the letters of a plan in Kafka transactions. Each transaction holds the replayed records together
/// with their entries in the ledger.
///
/// If the process is killed at any moment, a letter is either replayed and in the ledger, or neither. Belongs
/// to one thread.
///
/// A commit can stay undecided: the cluster does not confirm it in time. Then a new writer is opened, which
/// waits until the broker has decided the transaction, and the ledger tells whether it was committed.
struct Replayer {
    let reader: ClusterReader
    let options: ReplayOptions
    let user: String
    /// The question asked before each transaction, and again and again while the replay waits for its rate; true ends the
    /// replay.
    let isStopped: () -> Bool
    /// Receives the report so far after each transaction.
    let progress: (ReplayReport) -> Void

    /// The number of letters of one transaction at most.
    private static let transactionLimit = 100
    /// The number of tries for one transaction. After an abort, the pause before the next try is 200 ms times
    /// the number of tries so far.
    private static let tries = 5

    /// Replays the letters of a plan. Errors are not thrown: they are the report's `interruption`.
    ///
    /// - Parameter now: returns the time in milliseconds since 1970.
    func run(_ plan: ReplayPlan, batch: String, now: () -> Int64) -> ReplayReport {
        var report = ReplayReport(batch: batch, planned: plan.items.count)
        do {
            try self.replay(plan, batch: batch, now: now, into: &report)
        } catch is LedgerWriter.TakenOver {
            report.interruption = .takenOver
        } catch {
            // After any error, the letters that were replayed before it stay replayed, and the report counts
            // them.
            report.interruption = .failed(ErrorWords.text(error))
        }
        return report
    }

    private func replay(
        _ plan: ReplayPlan,
        batch: String,
        now: () -> Int64,
        into report: inout ReplayReport
    ) throws {
        var writer = try self.openedWriter()
        // A replay that had not succeeded when the plan was made may have succeeded since.
        if self.options.force || plan.items.contains(where: { $0.replays > 1 }) {
            try self.reader.refreshResults()
        }
        var pace = ReplayPace(rate: self.options.rate)
        var rest = plan.items[...]
        var number = 0
        let counts = try self.reader.log.metadata(atMost: self.reader.settings.patience).partitionCounts
        while !rest.isEmpty {
            let chunk = Array(rest.prefix(pace.chunkSize(atMost: Self.transactionLimit)))
            rest = rest.dropFirst(chunk.count)
            let tasks = try self.tasks(for: chunk, batch: batch, from: &number, counts, &report)
            while !tasks.isEmpty, !pace.isDue(), !self.isStopped() { writer.serve(atMost: pace.wait) }
            guard !self.isStopped() else { return report.interruption = .asked }
            pace.sent(try self.send(tasks, &writer, now: now, into: &report))
            self.progress(report)
        }
    }

    /// Opens a writer, which fences every other one, and reads the ledger to its end. No other writer can add
    /// entries after that without fencing this one, so the ledger is complete.
    private func openedWriter() throws -> LedgerWriter {
        let writer = try LedgerWriter(self.reader.settings)
        try writer.open()
        try self.reader.refreshLedger()
        return writer
    }

    /// A record to send and its entry in the ledger.
    private struct Task {
        var record: OutboundRecord
        var entry: LedgerEntry
    }

    /// Makes the records of a chunk. Checks once more whether each letter still exists and may still be
    /// replayed, and counts the others as skipped.
    private func tasks(
        for chunk: [ReplayPlan.Item],
        batch: String,
        from number: inout Int,
        _ counts: [String: Int],
        _ report: inout ReplayReport
    ) throws -> [Task] {
        let letters = try OriginalRecords(self.reader).records(of: chunk.map(\.letter))
        var tasks: [Task] = []
        for item in chunk {
            number += 1
            let standing = try self.reader.index.ledgerStanding(of: item.letter.id)
            if let refusal = self.options.refusal(of: standing) {
                report.skipped[refusal, default: 0] += 1
                continue
            }
            guard let found = letters[item.letter.position] else {
                report.skipped[.gone, default: 0] += 1
                continue
            }
            switch self.options.edit.value(of: found) {
            case .success(let edited):
                let replay = "\(batch)-\(number)"
                tasks.append(
                    self.task(item, found, edited: edited, replay: replay, batch: batch, counts: counts)
                )
            case .failure(let error): report.skipped[error.refusal, default: 0] += 1
            }
        }
        return tasks
    }

    private func task(
        _ item: ReplayPlan.Item,
        _ found: OriginalRecords.Found,
        edited: [UInt8]?,
        replay: String,
        batch: String,
        counts: [String: Int]
    ) -> Task {
        // The letter has the number of replays before it was written; the plan also counts the replays of
        // this letter.
        var facts = found.facts
        facts.believeReplay(of: item.letter)
        facts.replayCount = item.replays - 1
        let replayed = ReplayedRecord(
            of: found.record,
            facts,
            letterID: "\(item.letter.id)",
            to: item.target,
            replayID: replay,
            edited: edited,
            timestamp: self.options.timestamp,
            partitionCount: counts[item.target]
        )
        let original = replayed.record.headers.last { $0.isNamed(ReplayHeader.edited) }?.value
        let entry = LedgerEntry(
            letter: item.letter.id,
            action: .replayed,
            position: item.letter.position,
            replay: replay,
            batch: batch,
            replays: item.replays,
            by: self.user,
            because: self.options.because,
            at: 0,
            target: item.target,
            edited: original.map { String(decoding: $0, as: UTF8.self) }
        )
        return Task(record: replayed.record, entry: entry)
    }

    /// Sends these records in one transaction. If the broker finds it too large, sends each record in a
    /// transaction of its own and skips those that are still too large.
    ///
    /// - Returns: the number of records that were sent.
    private func send(
        _ tasks: [Task],
        _ writer: inout LedgerWriter,
        now: () -> Int64,
        into report: inout ReplayReport
    ) throws -> Int {
        do {
            try self.commit(tasks, &writer, now: now)
            report.done += tasks.count
            return tasks.count
        } catch let error as KafkaError where error.code == .messageTooLarge {
            // A broker refuses a batch of records with the same error as a single record, so each record is
            // tried alone. One that is too large must not stop those behind it.
            guard tasks.count > 1 else {
                report.skipped[.tooLarge, default: 0] += tasks.count
                return 0
            }
            return try tasks.reduce(0) { try $0 + self.send([$1], &writer, now: now, into: &report) }
        }
    }

    /// Commits these records with their ledger entries, in at most `tries` tries.
    ///
    /// - Throws: `KafkaError`, `LedgerWriter.TakenOver`, or `LedgerWriter.Undecided` if the last try was not
    ///   confirmed and the ledger does not have the entries.
    private func commit(_ tasks: [Task], _ writer: inout LedgerWriter, now: () -> Int64) throws {
        guard !tasks.isEmpty else { return }
        for attempt in 1... {
            do {
                let places = try writer.place(tasks.map(\.record))
                for (task, place) in zip(tasks, places) {
                    var entry = task.entry
                    (entry.at, entry.sentTo) = (now(), place)
                    try writer.send(entry.record(to: self.reader.settings.ledgerTopic))
                }
                return try writer.commit()
            } catch let undecided as LedgerWriter.Undecided {
                // The opening of the next writer waits until the cluster has decided the transaction. After
                // that the ledger has either all of its entries or none.
                writer = try self.openedWriter()
                if try tasks.allSatisfy({ try self.reader.index.knows(replay: $0.entry.replay) }) { return }
                guard attempt < Self.tries else { throw undecided }
            } catch let error as KafkaError where !error.isFatal {
                try writer.abort()
                guard attempt < Self.tries, error.code != .messageTooLarge else { throw error }
                writer.serve(atMost: .milliseconds(200 * attempt))
            }
        }
    }
}

extension ReplayOptions.Edit? {
    /// Returns the value to send instead of a record's own; nil sends that. The failure says why the letter is
    /// not replayed.
    func value(of found: OriginalRecords.Found) -> Result<[UInt8]?, ReplayPlan.Refusal.Error> {
        switch self {
        case nil: return .success(nil)
        case .value(let value): return .success(value)
        case .script(let script):
            do throws(DeadLetterPayload.EditFault) {
                let value = try found.payload.changed(by: script)
                return value.map { .success($0) } ?? .failure(.init(.unchanged))
            } catch {
                return .failure(.init(.notMended))
            }
        }
    }
}
