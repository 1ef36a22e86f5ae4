package import Records
package import WireFormats

/// Everything about one dead letter, unmasked: whoever shows it masks it, or has written down who asked to see it.
package struct LetterDetail: Sendable {
    package var view: LetterView
    package var record: InboundRecord
    package var facts: DeadLetterFacts
    package var payload: DeadLetterPayload
    /// What has been done about it; nil if nothing.
    package var standing: LedgerStanding?
    /// The latest first.
    package var replays: [ReplayView]
    /// The letters that its record became when it died again.
    package var successors: [LetterView]
    /// The letter whose replay its record died of.
    package var predecessor: LetterID?
}

extension Desk {
    /// What is known of letters and no more.
    package struct NoSuchLetter: Error, CustomStringConvertible {
        package var text: String

        package var description: String {
            "no dead letter is called '\(SafeText.line(self.text, limit: 80))'"
        }
    }

    package struct Ambiguous: Error, CustomStringConvertible {
        package var text: String

        package var description: String {
            "more than one dead letter's id begins with '\(SafeText.line(self.text, limit: 80))'"
        }
    }

    /// The letter that a text names: by its id, the beginning of one, or `topic/partition/offset`.
    package func letter(named text: String) throws -> LetterView {
        var filter = LetterFilter()
        if let position = LetterPosition(text) {
            filter.positions = [position]
        } else {
            let ids = try LetterID(text).map { [$0] } ?? self.index.ids(beginningWith: text)
            guard ids.count < 2 else { throw Ambiguous(text: text) }
            filter.ids = ids
        }
        guard !filter.ids.isEmpty || !filter.positions.isEmpty,
            // A letter that was written more than once is shown as it was written last.
            let view = try self.index.letters(filter, mark: self.mark, newestFirst: true, limit: 1).first
        else { throw NoSuchLetter(text: text) }
        return view
    }

    /// - Throws: `NoSuchLetter` also if the broker has deleted it since.
    package func detail(of view: LetterView) throws -> LetterDetail {
        guard let detail = try self.details(of: [view]).first else { throw NoSuchLetter(text: "\(view.id)") }
        return detail
    }

    /// Of several letters at once, in their order; those that the broker has deleted since are left out.
    package func details(of views: [LetterView]) throws -> [LetterDetail] {
        let records = try self.reader.records(at: views.map(\.position))
        return try views.compactMap { view in
            guard let record = records[view.position] else { return nil }
            let facts = DeadLetterFacts(HeaderBlock(record.headers))
            let replays = try self.index.replays(letter: view.id, limit: 100)
            return LetterDetail(
                view: view,
                record: record,
                facts: facts,
                payload: DeadLetterPayload(of: record, schema: DeadLetterSchema(facts)),
                standing: try self.index.ledgerStanding(of: view.id),
                replays: replays,
                successors: try self.index.letters(bornOf: replays.map(\.id), limit: 20),
                predecessor: facts.replayOf.flatMap { LetterID($0) }
            )
        }
    }
}
