import Kafka
import Records

extension Desk {
    /// The number of letters whose entries are written in one transaction.
    private static let asideLimit = 500

    /// Returns the letters that an action would be done on, the oldest first.
    ///
    /// - Parameter limit: the number of letters at most.
    /// - Throws: `TooMany` if the filter's conditions on headers or payloads mean too many records; errors of
    ///   the cluster and of the index.
    package func letters(_ filter: LetterFilter, for action: AsideAction, limit: Int) throws -> [LetterView] {
        var chosen = filter
        if filter.ids.isEmpty, filter.positions.isEmpty, filter.states.isEmpty {
            chosen.states = action.usualStates
        }
        return try self.letters(chosen, limit: limit)
    }

    /// Discards letters or brings them back, each with its entry in the ledger. Their records stay in the topic
    /// until the broker deletes them.
    ///
    /// - Throws: an error that came before the first transaction was committed. A later error is the report's
    ///   `interruption`.
    package func carryOut(
        _ action: AsideAction,
        on letters: [LetterView],
        because: String,
        selection: String
    ) throws -> ReplayReport {
        try self.reader.makeTopics()
        var report = ReplayReport(batch: Self.newBatch(), planned: letters.count)
        let writer = try LedgerWriter(self.settings)
        try writer.open()
        try self.reader.refreshLedger()
        var rest = letters[...]
        do {
            while !rest.isEmpty {
                let chunk = rest.prefix(Self.asideLimit)
                rest = rest.dropFirst(chunk.count)
                let audit = AuditEntry(
                    action: action == .discard ? .discard : .restore,
                    by: self.user,
                    at: self.now(),
                    because: because,
                    batch: report.batch,
                    selection: selection,
                    counts: [:],
                    letters: []
                )
                try self.carryOut(action, on: chunk, audit: audit, with: writer, into: &report)
            }
        } catch is LedgerWriter.TakenOver {
            report.interruption = .takenOver
        } catch {
            guard report.done > 0 else { throw error }
            report.interruption = .failed(ErrorWords.text(error))
        }
        return report
    }

    /// Writes the entries of these letters, and that of the audit trail, in one transaction.
    private func carryOut(
        _ action: AsideAction,
        on letters: ArraySlice<LetterView>,
        audit: AuditEntry,
        with writer: LedgerWriter,
        into report: inout ReplayReport
    ) throws {
        var audit = audit
        for letter in letters {
            let standing = try self.index.ledgerStanding(of: letter.id)
            if let refusal = Self.refusal(of: action, letter, standing: standing) {
                report.skipped[refusal, default: 0] += 1
                continue
            }
            switch action {
            case .discard:
                let entry = self.discarded(letter, standing, audit: audit)
                try writer.send(try entry.record(to: self.settings.ledgerTopic))
            case .restore:
                try writer.send(LedgerEntry.withdrawal(of: letter.id, to: self.settings.ledgerTopic))
            }
            audit.letters.append(letter.id)
        }
        audit.counts = [audit.action == .discard ? "discarded" : "restored": audit.letters.count]
        try writer.send(try audit.record(to: self.settings.auditTopic))
        try writer.commit()
        report.done += audit.letters.count
    }

    /// Returns why an action is not done on a letter; nil if it is done.
    private static func refusal(
        of action: AsideAction,
        _ letter: LetterView,
        standing: LedgerStanding?
    ) -> ReplayPlan.Refusal? {
        switch action {
        case .discard: return standing?.state == .discarded ? .discarded : nil
        case .restore:
            guard let standing, standing.state == .discarded else { return .notDiscarded }
            // An open letter is replayed without a question. So a letter that was replayed before it was discarded
            // does not become open again: its replay may have succeeded.
            return standing.hasSucceeded || standing.replays > letter.replays ? .alreadyReplayed : nil
        }
    }

    private func discarded(
        _ letter: LetterView,
        _ standing: LedgerStanding?,
        audit: AuditEntry
    ) -> LedgerEntry {
        LedgerEntry(
            letter: letter.id,
            action: .discarded,
            position: letter.position,
            replay: nil,
            batch: audit.batch,
            replays: max(letter.replays, standing?.replays ?? 0),
            by: audit.by,
            because: audit.because,
            at: audit.at,
            target: nil,
            edited: nil
        )
    }
}
