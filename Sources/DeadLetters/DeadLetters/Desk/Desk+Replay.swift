import Kafka

extension Desk {
    /// Returns what a replay of these letters would do, and changes nothing.
    ///
    /// - Throws: `TooMany` if the filter's conditions on headers or payloads mean too many records; errors of
    ///   the cluster and of the index.
    package func plan(_ filter: LetterFilter, _ options: ReplayOptions) throws -> ReplayPlan {
        let maximum = min(options.maximum, ReplayOptions.largestMaximum)
        var open = filter
        // Without `force` and `again`, letters that were replayed or discarded are left out, unless the
        // filter names letters or states itself.
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
        // A letter that was written more than once is planned once.
        for letter in letters.prefix(maximum) where seen.insert(letter.id).inserted {
            switch rules.judge(letter, try self.index.ledgerStanding(of: letter.id)) {
            case .success(let item): plan.items.append(item)
            case .failure(let error): plan.refusals.append((letter, error.refusal))
            }
        }
        return plan
    }

    /// The rules for these options, with the topics that the cluster has now.
    private func rules(_ options: ReplayOptions) throws -> ReplayRules {
        let counts = try self.reader.log.metadata(atMost: self.settings.patience).partitionCounts
        let letterTopics = try self.reader.letterTopics()
        return ReplayRules(
            options: options,
            topics: Set(counts.keys),
            allowed: self.settings.targets.map(NamePattern.init),
            own: Set(letterTopics.keys).union([self.settings.ledgerTopic, self.settings.auditTopic])
        )
    }

    /// Replays the letters of a plan, with an entry in the audit trail before and after.
    ///
    /// - Parameters:
    ///   - action: the kind of action in the audit trail: `replay` or `edit`.
    ///   - batch: the batch id of the command, which the ledger and the audit trail name.
    ///   - isStopped: asked before each transaction and while the replay waits for its rate; true ends the
    ///     replay.
    ///   - stop: Returns who or what stops the replay, which the audit trail is told before it ends; nil if the trail
    ///     has been told already.
    ///   - progress: told after each transaction what has been done so far.
    /// - Throws: `EditsMany`, or an error that came before the first audit entry was acknowledged. A later
    ///   error is the report's `interruption`.
    package func replay(
        _ plan: ReplayPlan,
        _ options: ReplayOptions,
        as action: AuditEntry.Action = .replay,
        batch: String = Desk.newBatch(),
        isStopped: @escaping () -> Bool = { false },
        because stop: @escaping () -> String? = { nil },
        progress: @escaping (ReplayReport) -> Void = { _ in }
    ) throws -> ReplayReport {
        guard !plan.items.isEmpty else { return ReplayReport(batch: batch, planned: 0) }
        if case .value? = options.edit, plan.items.count > 1 { throw EditsMany(count: plan.items.count) }
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
        var (isToldOfStop, untold) = (false, nil as (any Error)?)
        let replayer = Replayer(
            reader: self.reader,
            options: options,
            user: self.user,
            isStopped: {
                guard isStopped() else { return false }
                guard !isToldOfStop, let cause = stop() else { return true }
                isToldOfStop = true
                do { try self.recordStop(of: batch, because: cause) } catch { untold = error }
                return true
            },
            progress: progress
        )
        var report = replayer.run(plan, batch: batch, now: self.now)
        if let untold {
            report.interruption = .failed("the audit trail lacks the stop: \(ErrorWords.text(untold))")
        }
        entry.at = self.now()
        entry.letters = []
        entry.counts = ["planned": report.planned, "replayed": report.done, "left": report.left]
            .merging(before) { $1 }
        for (refusal, count) in report.skipped { entry.counts[refusal.rawValue] = count }
        do {
            try self.write(entry)
        } catch {
            // The records have been replayed although their audit entry is missing, so the report is returned
            // and names the error.
            report.interruption =
                report.interruption ?? .failed("the audit trail lacks its end: \(ErrorWords.text(error))")
        }
        return report
    }

    /// A replay has an edited value and more than one letter; one value must not replace several.
    struct EditsMany: Error, CustomStringConvertible {
        var count: Int

        var description: String { "an edit is of one letter, not of \(self.count)" }
    }

    /// Writes to the audit trail that the user is about to see letters. Call it before the letters are shown.
    ///
    /// - Throws: `KafkaError` if the broker does not acknowledge the entry; show nothing then. Errors of
    ///   `ClusterReader.makeTopics`.
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

    /// Writes to the audit trail that the user stops a replay, which may be another user's.
    ///
    /// - Parameter cause: what stops it, if it is not the user's button.
    /// - Throws: `KafkaError` if the broker does not acknowledge the entry; errors of
    ///   `ClusterReader.makeTopics`.
    package func recordStop(of batch: String, because cause: String = "") throws {
        try self.reader.makeTopics()
        try self.write(
            AuditEntry(
                action: .stop,
                by: self.user,
                at: self.now(),
                because: cause,
                batch: batch,
                selection: "",
                counts: [:],
                letters: []
            )
        )
    }

    /// Writes one entry to the audit trail and waits for the broker's acknowledgement.
    func write(_ entry: AuditEntry) throws {
        let writer = try AuditWriter(self.settings)
        try writer.write(try entry.record(to: self.settings.auditTopic))
    }

    /// Returns a new batch id: `r-` and ten random hexadecimal digits.
    package static func newBatch() -> String {
        let digits = String(UInt64.random(in: 0..<(1 << 40)), radix: 16)
        return "r-" + String(repeating: "0", count: 10 - digits.utf8.count) + digits
    }
}
