import Records

/// A member of a record in JSON that was probably meant to be a field of its schema, such as `deviceID` for
/// `deviceId`.
struct NearMiss: Hashable {
    /// The name in the record.
    var name: String
    /// The name in the schema.
    var field: String

    /// Finds the unknown name that is nearest to a field which the record does not have; nil if none is near.
    init?(in names: MemberNames) {
        let absent = names.absent
        var best: (distance: Int, miss: NearMiss)?
        for name in names.unknown.names {
            for field in absent {
                guard let distance = Self.distance(from: name, to: field) else { continue }
                if best.map({ distance < $0.distance }) ?? true { best = (distance, NearMiss(name, field)) }
            }
        }
        guard let best else { return nil }
        self = best.miss
    }

    private init(_ name: String, _ field: String) {
        self.name = name
        self.field = field
    }

    /// The most bytes of a question: a name that is told has at most `UnknownFields.nameBytesLimit`, and so has
    /// a field's.
    static let questionBytesLimit = Self("", "").question.utf8.count + 2 * UnknownFields.nameBytesLimit

    /// The question that a message asks.
    var question: String { "The record has the unknown field `\(self.name)`: did you mean `\(self.field)`?" }

    /// Returns how many letters are to be changed, added or left out; nil if too many. Upper and lower case,
    /// underscores and hyphens are no difference.
    static func distance(from name: String, to field: String) -> Int? {
        let (name, field) = (self.folded(name), self.folded(field))
        let limit = min(2, field.count / 4)
        guard abs(name.count - field.count) <= limit else { return nil }
        let distance = self.edits(name, field)
        return distance <= limit ? distance : nil
    }

    private static func folded(_ name: String) -> [UInt8] {
        name.utf8.filter(\.isAlphanumeric).map(\.lowercased)
    }

    /// Levenshtein's distance. Both texts are short, because longer names are not told.
    private static func edits(_ text: [UInt8], _ other: [UInt8]) -> Int {
        var row = Array(0...other.count)
        for (index, byte) in text.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in other.indices {
                let change = diagonal + (byte == other[column] ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(change, diagonal + 1, row[column] + 1)
            }
        }
        return row[other.count]
    }
}

extension Reason {
    /// Adds the question for a near miss to the message, if the record has one.
    func asking(
        about record: borrowing InboundRecord,
        in fields: SchemaFields,
        bytesLimit: Int = RecordPayload.bytesLimit
    ) -> Reason {
        guard let payload = try? RecordPayload(of: record, bytesLimit: bytesLimit),
            let names = MemberNames(of: payload, in: fields), let miss = NearMiss(in: names)
        else { return self }
        return Reason(self.code, "\(self.message) \(miss.question)")
    }
}

extension RecordFault {
    /// Adds the question for a near miss to the message, if the record has one.
    func asking(
        about record: borrowing InboundRecord,
        in fields: SchemaFields,
        bytesLimit: Int = RecordPayload.bytesLimit
    ) -> RecordFault {
        guard case .invalid(let reason) = self else { return self }
        return .invalid(reason.asking(about: record, in: fields, bytesLimit: bytesLimit))
    }
}
