import Cryptography
import Kafka
import Records
import WireFormats

/// Fetches dead letters, and for those that only point at their record the record itself.
struct OriginalRecords {
    /// A letter's record with its value, and what the letter's headers say.
    struct Found {
        var record: InboundRecord
        var facts: DeadLetterFacts
    }

    private let reader: ClusterReader

    init(_ reader: ClusterReader) { self.reader = reader }

    /// Those that are missing are gone, or are not what they were.
    func records(of letters: [LetterView]) throws -> [LetterPosition: Found] {
        let expected = Dictionary(letters.map { ($0.position, $0) }) { first, _ in first }
        var found: [LetterPosition: Found] = [:]
        var pointing: [LetterPosition: LetterPosition] = [:]
        for (position, record) in try self.reader.records(at: Array(expected.keys)) {
            let facts = DeadLetterFacts(HeaderBlock(record.headers))
            guard let view = expected[position], self.isTheSame(record, facts, as: view) else { continue }
            if !facts.isPointer(record) {
                found[position] = Found(record: record, facts: facts)
            } else if let topic = facts.sourceTopic, let partition = facts.sourcePartition,
                let offset = facts.sourceOffset
            {
                pointing[position] = LetterPosition(topic: topic, partition: partition, offset: offset)
                found[position] = Found(record: record, facts: facts)
            }
        }
        guard !pointing.isEmpty else { return found }
        let originals = try self.originals(at: Set(pointing.values))
        for (position, source) in pointing {
            guard let original = originals[source], let letter = found[position],
                Self.isTheSame(original, asIn: letter)
            else {
                found[position] = nil
                continue
            }
            found[position]?.record = original
        }
        return found
    }

    /// The letter that was looked at, and not one of a topic that was made anew since. A letter that its position names
    /// would have the same id there: only its time can tell.
    private func isTheSame(_ record: InboundRecord, _ facts: DeadLetterFacts, as view: LetterView) -> Bool {
        LetterReader.time(of: record.timestamp, facts) == view.at
            && LetterID(of: facts, at: view.position, clusterID: self.reader.clusterID) == view.id
    }

    /// Letters may point anywhere. Where there is no such topic or partition there is no such record.
    private func originals(at positions: Set<LetterPosition>) throws -> [LetterPosition: InboundRecord] {
        let counts = try self.reader.log.metadata(atMost: self.reader.settings.patience).partitionCounts
        return try self.reader.records(
            at: positions.filter { Int($0.partition) < counts[$0.topic] ?? 0 }
        )
    }

    /// The value is the one that died. Our letters say which it was, and one that does not is not believed to be of any.
    /// A broker's do not say: there, no record can have died that was written after its letter.
    private static func isTheSame(_ original: InboundRecord, asIn letter: Found) -> Bool {
        guard let omission = letter.facts.omission else {
            guard let written = original.timestamp, let died = letter.record.timestamp else { return false }
            return written <= died
        }
        guard let digest = omission.valueSHA256, let value = original.value else { return false }
        return String(decoding: Digest.sha256.hexadecimal(value), as: UTF8.self) == digest
    }
}
