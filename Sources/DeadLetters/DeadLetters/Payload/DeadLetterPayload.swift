import Cryptography
package import Records
package import WireFormats

/// The value of a dead letter for people to read, decoded as far as possible.
///
/// The tree holds everything that the record holds, personal data and secrets too; `masked(by:)` makes a
/// payload without them.
package struct DeadLetterPayload: Sendable {
    /// The format that the value could be read as.
    package enum Form: String, Hashable, Sendable, CaseIterable {
        case json
        case protobuf
        case text
        case bytes
        /// The record has no value.
        case tombstone
        /// The record's value has no bytes.
        case empty
    }

    /// The format that the value was read as.
    package private(set) var form: Form
    /// The schema that the value is read by; nil if no schema of ours fits the letter.
    package let schema: DeadLetterSchema?
    /// The reason why the schema's worker cannot use the value, such as `value.not_json` or `muid.malformed`.
    /// Nil if it can. Without `findsFaults`, only faults of the value's wrapping are found.
    package private(set) var fault: Reason?
    /// The message. A text that is not JSON is one string. Nil for bytes, and if there is no value. Protobuf
    /// fields without a schema, and fields that the schema does not know, become members named `#` and the
    /// field's number.
    package var tree: JSONTree?
    /// The members of a CloudEvent except its data; nil if the value is not in such an event.
    package var envelope: JSONTree?
    /// The size of the record's value in bytes, the frame and the event included.
    package let valueBytes: Int
    /// Whether protobuf was decoded by the schema, and not field by field.
    private(set) var isOfSchema = false
    /// The mark that stands for the value of a masked payload of the form `bytes`.
    var mark: String?
    /// The record that the payload was made of; nil after masking.
    var record: InboundRecord?

    /// Decodes the value of a record.
    ///
    /// - Parameter findsFaults: whether `fault` is determined, which takes as long as the rest. Without it, a
    ///   filter over many letters is faster.
    package init(of record: InboundRecord, schema: DeadLetterSchema? = nil, findsFaults: Bool = true) {
        self.schema = schema
        self.record = record
        self.valueBytes = record.value?.count ?? 0
        self.form = .bytes
        if findsFaults { self.fault = schema?.fault(of: record) }
        guard let value = record.value, !value.isEmpty else {
            self.form = record.value == nil ? .tombstone : .empty
            return
        }
        do throws(RecordFault) {
            let payload = try RecordPayload(of: record, bytesLimit: DeadLetterSchema.bytesLimit)
            // The envelope is set only after the event could be read; a broken event has no envelope.
            self.envelope = Self.envelope(of: record)
            self.read(payload, isToldProtobuf: Self.isToldProtobuf(record))
        } catch {
            if schema != nil { self.fault = self.fault ?? error.reason }
            self.readUnknown(value)
        }
    }

    private static func contentType(of record: InboundRecord) -> ContentType? {
        record.header("content-type").flatMap { $0.isEmpty ? nil : ContentType($0) }
    }

    /// Whether the record's content type is protobuf, or its value begins with a schema registry's frame.
    static func isToldProtobuf(_ record: InboundRecord) -> Bool {
        self.contentType(of: record) == .protobuf || record.value.map(SchemaRegistryFraming.isFramed) == true
    }

    private static func envelope(of record: InboundRecord) -> JSONTree? {
        guard self.contentType(of: record) == .cloudEvent, let value = record.value,
            case .object(let members)? = try? JSONTree(parsing: value)
        else { return nil }
        return .object(members.filter { !$0.name.isExactly("data") && !$0.name.isExactly("data_base64") })
    }

    private mutating func read(_ payload: RecordPayload, isToldProtobuf: Bool) {
        let message = Array(payload.bytes[payload.start...])
        switch payload.format {
        case .json: self.readUnknown(message)
        case .protobuf:
            if let (tree, unknown) = self.schema?.tree(ofProtobuf: message) {
                self.form = .protobuf
                self.isOfSchema = true
                self.tree = Self.adding(Self.fields(of: unknown) ?? [], to: tree)
            } else if isToldProtobuf, let members = Self.fields(of: message) {
                self.form = .protobuf
                self.tree = .object(members)
            } else {
                self.readUnknown(message)
            }
        }
    }

    /// Reads bytes as JSON if they are an object or a list, else as text if they are readable, else as bytes.
    private mutating func readUnknown(_ bytes: [UInt8]) {
        let first = bytes.first { !$0.isJSONWhiteSpace && !JSONText.byteOrderMark.contains($0) }
        if first == UInt8(ascii: "{") || first == UInt8(ascii: "["), let tree = try? JSONTree(parsing: bytes)
        {
            self.form = .json
            self.tree = tree
        } else if let text = String(validating: bytes, as: UTF8.self), Self.isReadable(text) {
            self.form = .text
            self.tree = .string(text)
        } else {
            self.form = .bytes
        }
    }

    /// Returns whether a person may have written the text: no NUL, and at most one character in ten is not
    /// printable. Only the first 4,096 Unicode scalars are looked at.
    private static func isReadable(_ text: String) -> Bool {
        var (odd, count) = (0, 0)
        for scalar in text.unicodeScalars.prefix(4_096) {
            count += 1
            guard scalar.value != 0 else { return false }
            if SafeText.isTreacherous(scalar), !["\n", "\r", "\t"].contains(scalar) { odd += 1 }
        }
        return odd * 10 <= count
    }

    private static func adding(_ members: [JSONTree.Member], to tree: JSONTree) -> JSONTree {
        guard case .object(let known) = tree else { return tree }
        return .object(known + members)
    }

    /// Returns protobuf fields without a schema as members: numbers as numbers, readable text as text, and
    /// everything else in hexadecimal digits.
    private static func fields(of bytes: [UInt8]) -> [JSONTree.Member]? {
        guard let fields = ProtobufFields(bytes[...]) else { return nil }
        return fields.prefix(JSONTree.valuesLimit).map { field in
            JSONTree.Member("#\(field.number)", self.tree(of: field))
        }
    }

    private static func tree(of field: ProtobufFields.Field) -> JSONTree {
        switch field.kind {
        case .varint:
            var content = field.content
            return .number(ProtobufFields.varint(&content).map { String($0) } ?? "0")
        case .fixed32, .fixed64:
            return .number(String(field.content.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }))
        case .bytes:
            if let text = String(validating: field.content, as: UTF8.self), Self.isReadable(text) {
                return .string(text)
            }
            return .string(
                String(decoding: Hexadecimal.encode(Array(field.content)), as: UTF8.self)
            )
        }
    }

    // MARK: Showing

    /// Returns the payload as lines for a terminal, in which every character is printable.
    ///
    /// - Parameter longestText: characters of one text or line that are shown before a `…`.
    package func lines(longestText: Int = 512) -> [String] {
        switch self.form {
        case .tombstone: return ["(no value: a tombstone)"]
        case .empty: return ["(an empty value)"]
        case .bytes:
            let what = "(\(self.valueBytes) bytes that are neither text nor a known message)"
            return [self.mark.map { "\(what) \($0)" } ?? what]
        case .text:
            guard case .string(let text)? = self.tree else { return [] }
            return text.split(separator: "\n", omittingEmptySubsequences: false)
                .map { SafeText.line($0, limit: longestText) }
        case .json, .protobuf:
            return self.tree?.lines(longestText: longestText) ?? []
        }
    }
}
