import Foundation
import Records
import WireFormats

/// Prints a record as one line of JSON, in the form that `fleet publish --envelope` reads.
enum RecordLine {
    static func text(_ record: InboundRecord) -> String {
        let members = [
            "\"topic\":\(self.quoted(record.topic))",
            "\"partition\":\(record.partition)",
            "\"offset\":\(record.offset)",
            "\"timestamp\":\(record.timestamp.map(String.init) ?? "null")",
            self.member("key", record.key) { self.text($0).map(self.quoted) },
            "\"headers\":{\(self.headers(record.headers))}",
            self.member("value", record.value, readable: self.json),
        ]
        return "{\(members.joined(separator: ","))}"
    }

    /// A member of the line: readable if possible, otherwise in base64.
    private static func member(_ name: String, _ bytes: [UInt8]?, readable: ([UInt8]) -> String?) -> String {
        guard let bytes else { return "\"\(name)\":null" }
        if let text = readable(bytes) { return "\"\(name)\":\(text)" }
        return "\"\(name)_base64\":\"\(Data(bytes).base64EncodedString())\""
    }

    private static func headers(_ headers: [RecordHeader]) -> String {
        var names: [String] = []
        var values: [String: [String]] = [:]
        for header in headers {
            if values[header.name] == nil { names.append(header.name) }
            values[header.name, default: []].append(self.headerValue(header.value))
        }
        return names.map { name in
            let texts = values[name] ?? []
            let value = texts.count == 1 ? texts.joined() : "[\(texts.joined(separator: ","))]"
            return "\(self.quoted(name)):\(value)"
        }.joined(separator: ",")
    }

    private static func headerValue(_ bytes: [UInt8]?) -> String {
        guard let bytes else { return "null" }
        if let text = self.text(bytes) { return self.quoted(text) }
        return "{\"base64\":\"\(Data(bytes).base64EncodedString())\"}"
    }

    /// The value as it is, if it is a JSON object or list. Any other value would change when it is published
    /// again.
    private static func json(_ bytes: [UInt8]) -> String? {
        guard bytes.first == UInt8(ascii: "{") || bytes.first == UInt8(ascii: "["), JSONSyntax.isValue(bytes),
            (try? JSONSerialization.jsonObject(with: Data(bytes))) != nil
        else { return nil }
        return String(validating: self.onOneLine(bytes), as: UTF8.self)
    }

    /// Replaces line ends by spaces. In valid JSON, line ends occur only between tokens.
    private static func onOneLine(_ bytes: [UInt8]) -> [UInt8] {
        bytes.map { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") ? UInt8(ascii: " ") : $0 }
    }

    /// Text without control characters, which a terminal could interpret; nil for other bytes.
    private static func text(_ bytes: [UInt8]) -> String? {
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        return text.unicodeScalars.contains { $0.properties.generalCategory == .control } ? nil : text
    }

    private static func quoted(_ text: String) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        // A string can always be encoded.
        return (try? encoder.encode(text)).map { String(decoding: $0, as: UTF8.self) } ?? "null"
    }
}
