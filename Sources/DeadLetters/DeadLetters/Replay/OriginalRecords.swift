import Cryptography
import Kafka
import Records

/// Fetches the records of dead letters.
///
/// A letter may have left out its value and only point at the record that died. For such a letter the
/// original record is fetched too.
struct OriginalRecords {
    /// A record with its value, and the facts of its letter.
    struct Found {
        /// The letter's record; for a letter that only points at its record, the original record.
        var record: InboundRecord
        /// The facts that the letter's headers claim.
        var facts: DeadLetterFacts

        /// The message of the record, by the schema that the letter's facts name.
        var payload: DeadLetterPayload {
            DeadLetterPayload(of: self.record, schema: DeadLetterSchema(self.facts), findsFaults: false)
        }
    }

    private let reader: ClusterReader

    init(_ reader: ClusterReader) { self.reader = reader }

    /// Fetches the records to replay, by the positions of their letters.
    ///
    /// A letter is missing from the result if the broker has deleted it or its original record, or if either
    /// is not the one that the letter means.
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

    /// Whether a fetched record is the letter of the index, and not a letter of a topic that was created
    /// again since.
    ///
    /// The id alone cannot tell: if it is made of the letter's position, the letter that stands there now has
    /// the same id. Only the time then differs.
    private func isTheSame(_ record: InboundRecord, _ facts: DeadLetterFacts, as view: LetterView) -> Bool {
        LetterReader.time(of: record.timestamp, facts) == view.at
            && LetterID(of: facts, at: view.position, clusterID: self.reader.clusterID) == view.id
    }

    /// Fetches original records. A letter may point at a topic or partition that does not exist; no record is
    /// returned for it.
    private func originals(at positions: Set<LetterPosition>) throws -> [LetterPosition: InboundRecord] {
        let counts = try self.reader.log.metadata(atMost: self.reader.settings.patience).partitionCounts
        return try self.reader.records(
            at: positions.filter { Int($0.partition) < counts[$0.topic] ?? 0 }
        )
    }

    /// Whether an original record has the value that died.
    ///
    /// A letter of our workers has the SHA-256 of the omitted value; without the hash the record is not
    /// accepted. A letter that a broker wrote (KIP-1191) has no hash. There the original record must not be
    /// younger than its letter.
    private static func isTheSame(_ original: InboundRecord, asIn letter: Found) -> Bool {
        guard let omission = letter.facts.omission else {
            guard let written = original.timestamp, let died = letter.record.timestamp else { return false }
            return written <= died
        }
        guard let digest = omission.valueSHA256, let value = original.value else { return false }
        return String(decoding: Digest.sha256.hexadecimal(value), as: UTF8.self) == digest
    }
}
