import Kafka
import Records
import WireFormats

extension Desk {
    /// Counts the letters of a filter by one of their properties.
    ///
    /// For a header and for a field of the payload, each letter's record is read from the cluster.
    ///
    /// - Throws: `TooMany` if too many records would have to be read; errors of the cluster and of the index.
    package func counts(_ filter: LetterFilter, by trait: LetterTrait) throws -> TraitCounts {
        let filter = try self.narrowed(filter, limit: Self.lookLimit)
        if let counts = try self.index.counts(filter, by: trait, mark: self.mark) { return counts }
        let positions = try self.index.positions(filter, mark: self.mark, limit: Self.lookLimit + 1)
        guard positions.count <= Self.lookLimit else { throw TooMany(count: Self.lookLimit) }
        var ofOpen = filter
        ofOpen.states = filter.states.isEmpty ? [.open] : filter.states.filter { $0 == .open }
        let open: Set<LetterPosition> =
            ofOpen.states.isEmpty
            ? [] : Set(try self.index.positions(ofOpen, mark: self.mark, limit: Self.lookLimit))
        var tally = TraitCounts.Tally()
        var read = 0
        try self.reader.visit(positions) { position, record in
            read += 1
            tally.add(self.shown(trait, of: record.copy()), isOpen: open.contains(position))
        }
        return TraitCounts(tally, gone: positions.count - read)
    }

    /// Returns a header or a field of a letter as it may be shown: on one line, masked where it has to be.
    private func shown(_ trait: LetterTrait, of record: InboundRecord) -> String {
        let facts = DeadLetterFacts(HeaderBlock(record.headers))
        switch trait {
        case .header(let name):
            guard let header = record.headers.last(where: { $0.isNamed(name) }) else {
                return TraitCounts.nothing
            }
            let isOfPhone = ReadablePolicy.isOfPhone(record.headers)
            return self.mask.value(of: header, facts.dialect, isOfPhone: isOfPhone, limit: Self.shownLimit)
                ?? ""
        case .field(let path):
            let payload = DeadLetterPayload(of: record, schema: DeadLetterSchema(facts), findsFaults: false)
            guard let value = payload.tree.flatMap(path.value) else { return TraitCounts.nothing }
            let masked = self.mask.masked(payload).tree.flatMap(path.value)
            switch value {
            // Lists and objects can be large, and there can be another one in each record.
            case .array: return "(a list)"
            case .object: return "(an object)"
            // A name on the way may be masked itself. Then the value gets a mark all the same.
            default: return masked?.line(longestText: Self.shownLimit) ?? self.mark.text(value.compact)
            }
        case .key, .partition, .hour: return TraitCounts.nothing
        }
    }

    /// The number of characters of a value that are shown.
    private static let shownLimit = 60
}
