import Records
import WireFormats

extension DeadLetterPayload {
    /// The reason why an edited value cannot be sent.
    package struct EditFault: Error, Hashable, Sendable {
        /// The line of the fault, counted from 1; nil if no single place is at fault.
        package var line: Int?
        /// The column of the fault in characters, counted from 1; nil if no single place is at fault.
        package var column: Int?
        /// A sentence for the person who edited. It quotes no value of the message; it may name a member.
        package var sentence: String
        /// The reason code; nil unless a rule of the worker refused the value.
        package var code: String?

        /// The fault on one line of printable characters: its place in the text, the sentence, and the code.
        package var words: String {
            let place = self.line.map { "line \($0)\(self.column.map { ", column \($0)" } ?? ""): " } ?? ""
            return "\(place)\(SafeText.line(self.sentence))\(self.code.map { " (\($0))" } ?? "")"
        }

        init(_ sentence: String, code: String? = nil) {
            self.sentence = sentence
            self.code = code
        }

        init(_ fault: JSONTree.Fault) {
            self.init(fault.sentence)
            (self.line, self.column) = (fault.line, fault.column)
        }
    }

    /// The text to put into an editor: JSON over many lines, or the text itself. Nil if the value cannot be
    /// edited as text: bytes, an absent value, protobuf without a schema, and a masked value.
    package var editable: [UInt8]? {
        guard self.record != nil else { return nil }
        switch (self.form, self.tree) {
        case (.text, .string(let text)?): return Array(text.utf8)
        case (.json, let tree?): return Self.text(of: tree)
        case (.protobuf, .object(let members)?) where self.isOfSchema:
            // Fields that the schema does not know cannot be edited; `edited` puts them back.
            return Self.text(of: .object(members.filter { !$0.name.hasPrefix("#") }))
        default: return nil
        }
    }

    private static func text(of tree: JSONTree) -> [UInt8] {
        Array((tree.lines().joined(separator: "\n") + "\n").utf8)
    }

    /// Returns the value to send instead, made from the editor's text. The value has the format of the
    /// record's value, and keeps the schema registry's frame and the surrounding CloudEvent as they were.
    ///
    /// If the schema is known, the text is read strictly, so that a typing error does not become a new field:
    /// a member name that neither the schema nor the record's JSON has is refused. Then the worker's own
    /// rules have to accept the value.
    ///
    /// - Throws: `EditFault` if the value cannot be edited, or the text cannot be sent as it is.
    package func edited(json text: [UInt8]) throws(EditFault) -> [UInt8] {
        guard let record, self.editable != nil, let original = record.value else {
            throw EditFault("This value cannot be edited as text.")
        }
        guard let schema else { return try self.editedWithoutSchema(text, of: original) }
        guard self.envelope != nil || !Self.isBrokenEvent(record) else {
            return try Self.judged(Self.trimmed(text), as: schema, in: record)
        }
        let document = try Self.document(text)
        try self.check(document, of: schema, in: text)
        var message = document.tree.compact
        let payload = try? RecordPayload(of: record, bytesLimit: DeadLetterSchema.bytesLimit)
        if payload?.format == .protobuf, self.form == .protobuf || Self.isToldProtobuf(record) {
            message = try self.protobuf(of: message, schema)
        }
        let frame = payload.map { Array($0.bytes.prefix($0.start)) } ?? []
        let value = self.envelope == nil ? frame + message : try Self.event(original, around: frame + message)
        return try Self.judged(value, as: schema, in: record)
    }

    private static func document(_ text: [UInt8]) throws(EditFault) -> JSONTree.Document {
        do throws(JSONTree.Fault) {
            return try JSONTree.document(text)
        } catch {
            throw EditFault(error)
        }
    }

    // MARK: Without a schema

    private func editedWithoutSchema(_ text: [UInt8], of original: [UInt8]) throws(EditFault) -> [UInt8] {
        let payload = self.record.flatMap {
            try? RecordPayload(of: $0, bytesLimit: DeadLetterSchema.bytesLimit)
        }
        let frame = payload.map { Array($0.bytes.prefix($0.start)) } ?? []
        let message =
            self.form == .json
            ? try Self.document(text).tree.compact
            : try Self.text(text, insteadOf: payload?.bytes ?? original)
        return self.envelope == nil ? frame + message : try Self.event(original, around: frame + message)
    }

    /// Returns the edited text without the line feed that an editor adds at the end, unless the original ends
    /// with one too.
    private static func text(_ text: [UInt8], insteadOf original: [UInt8]) throws(EditFault) -> [UInt8] {
        guard String(validating: text, as: UTF8.self) != nil else {
            throw EditFault("The text is not UTF-8.")
        }
        let newline = UInt8(ascii: "\n")
        return text.last == newline && original.last != newline ? Array(text.dropLast()) : text
    }

    // MARK: By a schema

    private func check(
        _ document: JSONTree.Document,
        of schema: DeadLetterSchema,
        in text: [UInt8]
    ) throws(EditFault) {
        guard case .object(let members) = document.tree else {
            throw EditFault(JSONTree.fault("The value has to be an object, in braces.", at: 0, in: text))
        }
        var seen: Set<String> = []
        for (member, place) in zip(members, document.members) {
            let name = SafeText.line(member.name, limit: 64)
            func fault(_ sentence: String, at offset: Int) -> EditFault {
                EditFault(JSONTree.fault(sentence, at: offset, in: text))
            }
            guard seen.insert(member.name).inserted else {
                throw fault("\"\(name)\" is there twice.", at: place.name)
            }
            guard let field = schema.field(member.name) else {
                guard self.hadMember(member.name) else {
                    throw fault("The schema knows no \"\(name)\".", at: place.name)
                }
                continue
            }
            guard schema.protobuf(ofJSON: JSONTree.object([member]).compact) != nil else {
                throw fault("\"\(name)\" has to be \(field.kind.rawValue).", at: place.value)
            }
        }
    }

    private func hadMember(_ name: String) -> Bool {
        self.form == .json && self.tree?.member(name) != nil
    }

    private func protobuf(of message: [UInt8], _ schema: DeadLetterSchema) throws(EditFault) -> [UInt8] {
        guard let encoded = schema.protobuf(ofJSON: message), let record,
            let payload = try? RecordPayload(of: record, bytesLimit: DeadLetterSchema.bytesLimit)
        else { throw EditFault("The value is not of the schema.") }
        return encoded + (schema.tree(ofProtobuf: Array(payload.bytes[payload.start...]))?.unknown ?? [])
    }

    private static func judged(
        _ value: [UInt8],
        as schema: DeadLetterSchema,
        in record: InboundRecord
    ) throws(EditFault) -> [UInt8] {
        var changed = record
        changed.value = value
        if let fault = schema.fault(of: changed) { throw EditFault(fault.message, code: fault.code) }
        return value
    }

    // MARK: CloudEvents

    private static func isBrokenEvent(_ record: InboundRecord) -> Bool {
        record.header("content-type").map {
            ContentType($0) == .cloudEvent || ContentType($0) == .otherCloudEvent
        }
            ?? false
    }

    private static func trimmed(_ text: [UInt8]) -> [UInt8] { Array(text.trimmingWhiteSpace()) }

    /// Returns the event with new data inside; every other byte stays as it was.
    private static func event(_ event: [UInt8], around data: [UInt8]) throws(EditFault) -> [UInt8] {
        guard let object = JSONObject(event) else {
            throw EditFault("The event around the value cannot be read.")
        }
        let (old, new): (ArraySlice<UInt8>, [UInt8])
        if let base64 = object.value("data_base64") {
            (old, new) = (base64, [UInt8(ascii: "\"")] + Base64.encode(data) + [UInt8(ascii: "\"")])
        } else if let text = object.value("data") {
            let isText = text.first == UInt8(ascii: "\"")
            (old, new) = (
                text, isText ? JSONTree.string(String(decoding: data, as: UTF8.self)).compact : data
            )
        } else {
            throw EditFault("The event around the value has no data.")
        }
        return Array(event[..<old.startIndex]) + new + Array(event[old.endIndex...])
    }
}
