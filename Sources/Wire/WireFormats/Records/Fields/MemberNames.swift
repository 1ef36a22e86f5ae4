/// The names of the members of a record in JSON, compared with the fields of its schema in one pass over the
/// text. Names inside the members' values are not looked at.
struct MemberNames {
    /// The names that no field has.
    let unknown: UnknownFields
    private let fields: SchemaFields
    /// The fields that the record has, each by its bit.
    private let present: UInt64

    /// Reads the names of a payload; nil if it is no object in JSON, or nests too deep to be read.
    init?(of payload: RecordPayload, in fields: SchemaFields) {
        guard payload.format == .json else { return nil }
        var reader = JSONReader(
            payload.bytes,
            from: payload.start,
            limits: JSONLimits(depth: JSONOutline.depthLimit),
            listener: Listener(text: payload.bytes, fields: fields)
        )
        do throws(JSONFault) {
            try reader.document()
        } catch {
            return nil
        }
        self.fields = fields
        self.unknown = reader.listener.unknown
        self.present = reader.listener.present
    }

    /// The fields of the schema that the record does not have.
    var absent: [String] {
        self.fields.names.indices.filter { self.present & (1 << UInt64($0)) == 0 }.map {
            self.fields.names[$0]
        }
    }

    private struct Listener: JSONListener {
        let text: [UInt8]
        let fields: SchemaFields
        private(set) var unknown = UnknownFields()
        private(set) var present: UInt64 = 0

        init(text: [UInt8], fields: SchemaFields) {
            self.text = text
            self.fields = fields
        }

        mutating func name(_ range: Range<Int>, hasEscapes: Bool, level: Int) {
            guard level == 1 else { return }
            if hasEscapes { return self.note(JSONText.unescaped(self.text[range])) }
            if let field = self.fields.index(of: range, in: self.text) {
                self.present |= 1 << UInt64(field)
            } else {
                self.unknown.add(self.text[range])
            }
        }

        private mutating func note(_ name: [UInt8]) {
            if let field = self.fields.index(of: name.indices, in: name) {
                self.present |= 1 << UInt64(field)
            } else {
                self.unknown.add(name[...])
            }
        }

        func leaf(_ kind: JSONKind, _ range: Range<Int>, hasEscapes: Bool, level: Int) {}
        func opened(_ kind: JSONKind, at start: Int) {}
        func closed(_ mark: Void, _ kind: JSONKind, range: Range<Int>, level: Int) {}
    }
}
