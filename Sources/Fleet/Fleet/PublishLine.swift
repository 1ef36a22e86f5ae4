import Foundation
import Records
import WireFormats

/// The conversion of a line of text to a record.
enum PublishLine {
    /// The reason for which a line is no record, as the end of a sentence.
    struct Fault: Error {
        let reason: String
    }

    /// Turns lines into records of one topic.
    struct Parser {
        let topic: String
        /// The top-level member that becomes the record's key; nil for records without a key.
        let keyField: String?
        /// Whether each line is an envelope with key, value and headers, and not the value alone.
        let isEnvelope: Bool
        /// The headers that each record gets beside its own.
        var headers: [RecordHeader] = []

        /// Makes a record of a line.
        func record(of line: [UInt8]) throws(Fault) -> OutboundRecord {
            guard JSONSyntax.isValue(line),
                let value = try? JSONSerialization.jsonObject(with: Data(line), options: .fragmentsAllowed)
            else {
                throw Fault(reason: "it is not JSON")
            }
            if self.isEnvelope {
                guard let members = value as? [String: Any] else {
                    throw Fault(reason: "it is not an envelope")
                }
                var record = try PublishLine.record(members, topic: self.topic)
                record.headers += self.headers
                return record
            }
            let member = self.keyField.flatMap { (value as? [String: Any])?[$0] }
            let isTyped = self.headers.contains { $0.name == "content-type" }
            return OutboundRecord(
                topic: self.topic,
                key: try member.flatMap(PublishLine.bytes),
                value: line,
                headers: (isTyped ? [] : [RecordHeader("content-type", "application/json")]) + self.headers
            )
        }
    }

    private static let members: Set<String> = [
        "key", "key_base64", "value", "value_base64", "headers", "partition", "timestamp", "topic", "offset",
    ]

    /// Makes a record of an envelope. The members `topic` and `offset` are allowed and ignored, so that a
    /// record that was read can be published again.
    private static func record(_ members: [String: Any], topic: String) throws(Fault) -> OutboundRecord {
        if let unknown = members.keys.sorted().first(where: { !self.members.contains($0) }) {
            throw Fault(reason: "an envelope has no member '\(unknown)'")
        }
        guard (members["value"] == nil) != (members["value_base64"] == nil) else {
            throw Fault(
                reason: "an envelope has either value or value_base64; a value of null is a tombstone"
            )
        }
        return OutboundRecord(
            topic: topic,
            key: try self.bytes(members["key"], orBase64: members["key_base64"]),
            value: try self.bytes(members["value"], orBase64: members["value_base64"]),
            headers: try self.headers(members["headers"]),
            partition: try self.integer(members["partition"], "partition").map { Int32(clamping: $0) },
            timestamp: try self.integer(members["timestamp"], "timestamp")
        )
    }

    private static func bytes(_ value: Any?, orBase64 encoded: Any?) throws(Fault) -> [UInt8]? {
        guard let encoded else { return try value.flatMap(self.bytes) }
        return try self.decoded(encoded)
    }

    private static func decoded(_ encoded: Any) throws(Fault) -> [UInt8] {
        guard let text = encoded as? String, let data = Data(base64Encoded: text) else {
            throw Fault(reason: "what should be base64 is not")
        }
        return Array(data)
    }

    /// The bytes of a value: the text of a string, nil for null, and the JSON of anything else.
    private static func bytes(_ value: Any) throws(Fault) -> [UInt8]? {
        if value is NSNull { return nil }
        if let text = value as? String { return Array(text.utf8) }
        let options: JSONSerialization.WritingOptions = [
            .fragmentsAllowed, .withoutEscapingSlashes, .sortedKeys,
        ]
        guard let data = try? JSONSerialization.data(withJSONObject: value, options: options) else {
            throw Fault(reason: "a value cannot be written as JSON")
        }
        return Array(data)
    }

    /// The headers of an envelope. A list stands for a repeated header, and {"base64":…} for any bytes.
    private static func headers(_ value: Any?) throws(Fault) -> [RecordHeader] {
        guard let value, !(value is NSNull) else { return [] }
        guard let members = value as? [String: Any] else { throw Fault(reason: "headers is not an object") }
        var headers: [RecordHeader] = []
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            for value in value as? [Any] ?? [value] {
                if let encoded = (value as? [String: Any])?["base64"] {
                    headers.append(RecordHeader(name, try self.decoded(encoded)))
                } else {
                    headers.append(RecordHeader(name, try self.bytes(value)))
                }
            }
        }
        return headers
    }

    private static func integer(_ value: Any?, _ name: String) throws(Fault) -> Int64? {
        guard let value, !(value is NSNull) else { return nil }
        guard let number = value as? Int64 else { throw Fault(reason: "\(name) is not a whole number") }
        return number
    }
}
