package import Records
import WireFormats

/// Everything that is known about one dead letter, unmasked.
///
/// Show it only through `MaskedLetter`, or after `Desk.recordReveal` has written down which user sees it and
/// why.
package struct LetterDetail: Sendable {
    /// The letter as the index knows it.
    package var view: LetterView
    /// The record of the letter, as it was read from the broker.
    package var record: InboundRecord
    /// The facts that the letter's headers claim; nothing of a replay that the ledger does not know.
    package var facts: DeadLetterFacts
    /// The decoded value.
    package var payload: DeadLetterPayload
    /// The ledger's latest entry about the letter; nil if there is none.
    package var standing: LedgerStanding?
    /// The replays of the letter: those that have not succeeded first, and the latest first among each; at
    /// most 100.
    package var replays: [ReplayView]
    /// The letters that its record became when it died again after a replay; at most 20.
    package var successors: [LetterView]
    /// The letter whose replay the record died of; nil if it was no replay.
    package var predecessor: LetterID?
}

extension Desk {
    /// The index has no letter of this name, or the broker has deleted its record.
    package struct NoSuchLetter: Error, CustomStringConvertible {
        /// The name that the user gave.
        package var text: String

        package var description: String {
            "no dead letter is called '\(SafeText.line(self.text, limit: 80))'"
        }
    }

    /// The user gave the beginning of an id, and more than one letter's id begins like that.
    package struct Ambiguous: Error, CustomStringConvertible {
        /// The beginning of the id that the user gave.
        package var text: String

        package var description: String {
            "more than one dead letter's id begins with '\(SafeText.line(self.text, limit: 80))'"
        }
    }

    /// Finds the letter that a text names: by its id, by the first digits of its id, or by
    /// `topic/partition/offset`.
    ///
    /// - Throws: `NoSuchLetter`, or `Ambiguous` if the digits fit more than one id.
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
            // A letter may have copies in several topics; the newest of them is shown. Within one topic it is
            // the copy that is counted.
            let view = try self.index.letters(filter, mark: self.mark, by: .newest, limit: 1).first
        else { throw NoSuchLetter(text: text) }
        return view
    }

    /// Reads the record of a letter from the cluster, with all that the index knows about it.
    ///
    /// - Throws: `NoSuchLetter` if the broker has deleted the record since; errors of the cluster and of the
    ///   index.
    package func detail(of view: LetterView) throws -> LetterDetail {
        guard let detail = try self.details(of: [view]).first else { throw NoSuchLetter(text: "\(view.id)") }
        return detail
    }

    /// Reads the records of several letters at once, in their order. A letter whose record the broker has
    /// deleted since is left out.
    package func details(of views: [LetterView]) throws -> [LetterDetail] {
        let records = try self.reader.records(at: views.map(\.position))
        return try views.compactMap { view in
            guard let record = records[view.position] else { return nil }
            var facts = DeadLetterFacts(HeaderBlock(record.headers))
            facts.believeReplay(of: view)
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
