import EventThread
import Kafka
import Records
import WireFormats

/// Replays what a plan says, in transactions that hold each record together with its entry in the ledger.
///
/// Belongs to one thread. Killed at any moment it leaves a letter either replayed and in the ledger, or neither.
struct Replayer {
    let reader: ClusterReader
    let options: ReplayOptions
    let user: String
    /// Asked between two records, and while it waits for the rate.
    let isStopped: () -> Bool
    let progress: (ReplayReport) -> Void

    /// Records of one transaction at most.
    private static let transactionLimit = 100
    /// Of one transaction, with a pause between two tries.
    private static let tries = 5

    /// - Parameter now: milliseconds since 1970.
    func run(_ plan: ReplayPlan, batch: String, now: () -> Int64) -> ReplayReport {
        var report = ReplayReport(batch: batch, planned: plan.items.count)
        do {
            try self.replay(plan, batch, now, &report)
        } catch is LedgerWriter.TakenOver {
            report.interruption = .takenOver
        } catch {
            // Whatever it is, what has been done so far has been done, and is told.
            report.interruption = .failed("\(error)")
        }
        return report
    }

    private func replay(
        _ plan: ReplayPlan,
        _ batch: String,
        _ now: () -> Int64,
        _ report: inout ReplayReport
    ) throws {
        var writer = try self.openedWriter()
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
            pace.sent(try self.send(tasks, &writer, now, &report))
            self.progress(report)
        }
    }

    /// A writer that nobody else can be beside, with the ledger read to its end: what it says now is what holds.
    private func openedWriter() throws -> LedgerWriter {
        let writer = try LedgerWriter(self.reader.settings)
        try writer.open()
        try self.reader.refreshLedger()
        // A replay that was in flight when the plan was made may have succeeded since.
        if self.options.force { try self.reader.refreshResults() }
        return writer
    }

    private struct Task {
        var record: OutboundRecord
        var entry: LedgerEntry
    }

    /// What is to be sent of a chunk. Looks once more whether each letter is still there and still to be replayed.
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
            tasks.append(self.task(item, found, replay: "\(batch)-\(number)", batch: batch, counts))
        }
        return tasks
    }

    private func task(
        _ item: ReplayPlan.Item,
        _ found: OriginalRecords.Found,
        replay: String,
        batch: String,
        _ counts: [String: Int]
    ) -> Task {
        // A letter may be replayed more than once, and says only how often its record had been replayed before it.
        var facts = found.facts
        facts.replayCount = item.replays - 1
        let replayed = ReplayedRecord(
            of: found.record,
            facts,
            letterID: "\(item.letter.id)",
            to: item.target,
            replayID: replay,
            edited: self.options.edited,
            timestamp: self.options.timestamp,
            partitionCount: counts[item.target]
        )
        let edited = replayed.record.headers.last { $0.name == ReplayedRecord.Header.edited }?.value
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
            edited: edited.map { String(decoding: $0, as: UTF8.self) }
        )
        return Task(record: replayed.record, entry: entry)
    }

    /// Sends all of these or, of those that the cluster finds too large, none.
    ///
    /// - Returns: how many have gone.
    private func send(
        _ tasks: [Task],
        _ writer: inout LedgerWriter,
        _ now: () -> Int64,
        _ report: inout ReplayReport
    ) throws -> Int {
        do {
            try self.commit(tasks, &writer, now)
            report.done += tasks.count
            return tasks.count
        } catch let error as KafkaError where error.code == .messageTooLarge {
            // A broker refuses a batch of records as it does a record, so each has to be tried by itself; and one that is
            // too large is not to keep those behind it from going.
            guard tasks.count > 1 else {
                report.skipped[.tooLarge, default: 0] += tasks.count
                return 0
            }
            return try tasks.reduce(0) { try $0 + self.send([$1], &writer, now, &report) }
        }
    }

    private func commit(_ tasks: [Task], _ writer: inout LedgerWriter, _ now: () -> Int64) throws {
        guard !tasks.isEmpty else { return }
        for attempt in 1... {
            do {
                for task in tasks {
                    var entry = task.entry
                    entry.at = now()
                    try writer.send(task.record)
                    try writer.send(entry.record(to: self.reader.settings.ledgerTopic))
                }
                return try writer.commit()
            } catch let undecided as LedgerWriter.Undecided {
                // To open the next writer waits until the cluster has made up its mind, and then the ledger knows.
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
