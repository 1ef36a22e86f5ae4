import Kafka
import WireFormats

extension Desk {
    /// What a replay of these letters would do. Nothing is changed.
    package func plan(_ filter: LetterFilter, _ options: ReplayOptions) throws -> ReplayPlan {
        let maximum = min(options.maximum, ReplayOptions.largestMaximum)
        var open = filter
        // Without force, what has been dealt with is of interest only where somebody named it.
        if !options.force, !options.again, filter.ids.isEmpty, filter.positions.isEmpty, filter.states.isEmpty
        {
            open.states = [.open]
        }
        let letters = try self.letters(open, limit: maximum + 1)
        var plan = ReplayPlan()
        if letters.count > maximum {
            plan.beyondMaximum = try self.count(open) - maximum
        }
        let rules = try self.rules(options)
        var seen: Set<LetterID> = []
        // A letter that was written more than once is one letter.
        for letter in letters.prefix(maximum) where seen.insert(letter.id).inserted {
            switch rules.judge(letter, try self.index.ledgerStanding(of: letter.id)) {
            case .success(let item): plan.items.append(item)
            case .failure(let error): plan.refusals.append((letter, error.refusal))
            }
        }
        return plan
    }

    private func rules(_ options: ReplayOptions) throws -> ReplayRules {
        let counts = try self.reader.log.metadata(atMost: self.settings.patience).partitionCounts
        let letterTopics = try self.reader.letterTopics()
        return ReplayRules(
            options: options,
            topics: Set(counts.keys),
            allowed: self.settings.targets.map(TopicPattern.init),
            own: Set(letterTopics.keys).union([self.settings.ledgerTopic, self.settings.auditTopic])
        )
    }

    /// Does what a plan says, and writes down who did it.
    ///
    /// - Parameters:
    ///   - action: what it is called in the audit trail.
    ///   - isStopped: asked between two records.
    /// - Throws: where nothing could be begun. What came in between is in the report.
    package func replay(
        _ plan: ReplayPlan,
        _ options: ReplayOptions,
        as action: AuditEntry.Action = .replay,
        batch: String = Desk.newBatch(),
        isStopped: @escaping () -> Bool = { false },
        progress: @escaping (ReplayReport) -> Void = { _ in }
    ) throws -> ReplayReport {
        guard !plan.items.isEmpty else { return ReplayReport(batch: batch, planned: 0) }
        guard options.edited == nil || plan.items.count == 1 else { throw EditsMany(count: plan.items.count) }
        try self.reader.makeTopics()
        var entry = AuditEntry(
            action: action,
            by: self.user,
            at: self.now(),
            because: options.because,
            batch: batch,
            selection: options.selection,
            counts: ["planned": plan.items.count],
            letters: plan.items.map(\.letter.id)
        )
        let before = plan.succeededBefore > 0 ? ["succeeded_before": plan.succeededBefore] : [:]
        entry.counts.merge(before) { $1 }
        try self.write(entry)
        let replayer = Replayer(
            reader: self.reader,
            options: options,
            user: self.user,
            isStopped: isStopped,
            progress: progress
        )
        var report = replayer.run(plan, batch: batch, now: self.now)
        entry.at = self.now()
        entry.letters = []
        entry.counts = ["planned": report.planned, "replayed": report.done, "left": report.left]
            .merging(before) { $1 }
        for (refusal, count) in report.skipped { entry.counts[refusal.rawValue] = count }
        do {
            try self.write(entry)
        } catch {
            // The records have gone all the same, and whoever sent them has to hear of it.
            report.interruption = report.interruption ?? .failed("the audit trail lacks its end: \(error)")
        }
        return report
    }

    /// One value is not to take the place of many.
    struct EditsMany: Error, CustomStringConvertible {
        var count: Int

        var description: String { "an edit is of one letter, not of \(self.count)" }
    }

    /// Letters that are discarded in one transaction.
    private static let discardLimit = 500

    /// Puts letters aside for good. They stay in their topic until the broker deletes them.
    ///
    /// - Throws: where nothing could be begun. What came in between is in the report.
    package func discard(_ letters: [LetterView], because: String, selection: String) throws -> ReplayReport {
        try self.reader.makeTopics()
        var report = ReplayReport(batch: Self.newBatch(), planned: letters.count)
        let writer = try LedgerWriter(self.settings)
        try writer.open()
        try self.reader.refreshLedger()
        var rest = letters[...]
        do {
            while !rest.isEmpty {
                let chunk = rest.prefix(Self.discardLimit)
                rest = rest.dropFirst(chunk.count)
                try self.discard(chunk, because, selection, writer, &report)
            }
        } catch is LedgerWriter.TakenOver {
            report.interruption = .takenOver
        } catch {
            guard report.done > 0 else { throw error }
            report.interruption = .failed("\(error)")
        }
        return report
    }

    private func discard(
        _ letters: ArraySlice<LetterView>,
        _ because: String,
        _ selection: String,
        _ writer: LedgerWriter,
        _ report: inout ReplayReport
    ) throws {
        var ids: [LetterID] = []
        for letter in letters {
            let standing = try self.index.ledgerStanding(of: letter.id)
            guard standing?.state != .discarded else {
                report.skipped[.discarded, default: 0] += 1
                continue
            }
            let entry = LedgerEntry(
                letter: letter.id,
                action: .discarded,
                position: letter.position,
                replay: nil,
                batch: report.batch,
                replays: max(letter.replays, standing?.replays ?? 0),
                by: self.user,
                because: because,
                at: self.now(),
                target: nil,
                edited: nil
            )
            try writer.send(try entry.record(to: self.settings.ledgerTopic))
            ids.append(letter.id)
        }
        let audit = AuditEntry(
            action: .discard,
            by: self.user,
            at: self.now(),
            because: because,
            batch: report.batch,
            selection: selection,
            counts: ["discarded": ids.count],
            letters: ids
        )
        try writer.send(try audit.record(to: self.settings.auditTopic))
        try writer.commit()
        report.done += ids.count
    }

    /// Writes down that somebody looked behind the masks, before they do.
    package func recordReveal(
        of letters: [LetterID],
        as action: AuditEntry.Action = .reveal,
        because: String,
        selection: String
    )
        throws
    {
        try self.reader.makeTopics()
        try self.write(
            AuditEntry(
                action: action,
                by: self.user,
                at: self.now(),
                because: because,
                batch: "",
                selection: selection,
                counts: ["letters": letters.count],
                letters: letters
            )
        )
    }

    /// Writes down that somebody stops a replay, which may be somebody else's.
    package func recordStop(of batch: String) throws {
        try self.reader.makeTopics()
        try self.write(
            AuditEntry(
                action: .stop,
                by: self.user,
                at: self.now(),
                because: "",
                batch: batch,
                selection: "",
                counts: [:],
                letters: []
            )
        )
    }

    private func write(_ entry: AuditEntry) throws {
        let writer = try AuditWriter(self.settings)
        try writer.write(try entry.record(to: self.settings.auditTopic))
    }

    /// The mark of a new command, `r-` and ten hexadecimal digits.
    package static func newBatch() -> String {
        let digits = String(UInt64.random(in: 0..<(1 << 40)), radix: 16)
        return "r-" + String(repeating: "0", count: 10 - digits.utf8.count) + digits
    }
}
