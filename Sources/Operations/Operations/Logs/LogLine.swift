import Logging

/// One log line that is being written.
///
/// A line is never longer than its limit and always complete. Fields that do not fit are left out one by one,
/// and the line says that it was truncated.
struct LogLine {
    /// The longest line in bytes. The limit includes the line feed and `,"truncated":true}`.
    static let longest = 8_192
    private static let reserve = 32
    private static let longestMessage = 4_096
    private static let longestValue = 2_048
    private static let deepestValue = 8

    private let format: LogFormat
    private let redaction: Redaction
    private let names: SensitiveNames
    private var bytes: [UInt8] = []
    private var truncated = false

    init(format: LogFormat, redaction: Redaction, names: SensitiveNames) {
        self.format = format
        self.redaction = redaction
        self.names = names
        self.bytes.reserveCapacity(512)
    }

    mutating func start(time: Timestamp, level: Logger.Level, logger: String, message: String) {
        switch self.format {
        case .json:
            self.bytes.append(
                contentsOf: "{\"time\":\"\(time)\",\"level\":\"\(level.rawValue)\",\"logger\":".utf8
            )
            JSONText.appendQuoted(logger, to: &self.bytes, limit: 128)
            self.bytes.append(contentsOf: ",\"message\":".utf8)
            self.note(JSONText.appendQuoted(message, to: &self.bytes, limit: Self.longestMessage))
        case .text:
            self.bytes.append(contentsOf: "\(time) \(level.rawValue) ".utf8)
            JSONText.appendEscaped(logger, to: &self.bytes, limit: 128, quotes: false)
            self.bytes.append(contentsOf: ": ".utf8)
            self.note(
                JSONText.appendEscaped(message, to: &self.bytes, limit: Self.longestMessage, quotes: false)
            )
        }
    }

    mutating func add(_ key: String, _ value: Logger.MetadataValue) {
        var field: [UInt8] = []
        var cut = false
        switch self.format {
        case .json:
            field.append(UInt8(ascii: ","))
            // A caller's field named `time` or `level` must not be mistaken for the line's own.
            JSONText.appendQuoted(Self.ownNames.contains(key) ? key + "_" : key, to: &field, limit: 128)
            field.append(UInt8(ascii: ":"))
        case .text:
            field.append(UInt8(ascii: " "))
            if Self.isPlain(key) {
                cut = JSONText.appendEscaped(key, to: &field, limit: 128, quotes: true)
            } else {
                cut = JSONText.appendQuoted(key, to: &field, limit: 128)
            }
            field.append(UInt8(ascii: "="))
        }
        cut = self.append(value, under: key, to: &field, depth: 0) || cut
        guard self.bytes.count + field.count + Self.reserve <= Self.longest else {
            self.truncated = true
            return
        }
        self.note(cut)
        self.bytes.append(contentsOf: field)
    }

    consuming func finish() -> [UInt8] {
        switch self.format {
        case .json: self.bytes.append(contentsOf: (self.truncated ? ",\"truncated\":true}\n" : "}\n").utf8)
        case .text: self.bytes.append(contentsOf: (self.truncated ? " truncated=true\n" : "\n").utf8)
        }
        return self.bytes
    }

    private static let ownNames: Set<String> = ["time", "level", "logger", "message", "truncated"]

    private mutating func note(_ cut: Bool) {
        self.truncated = self.truncated || cut
    }

    /// Appends a value, or its mark if its name is a sensitive one. Returns whether something was cut off.
    private func append(
        _ value: Logger.MetadataValue,
        under key: String,
        to field: inout [UInt8],
        depth: Int
    ) -> Bool {
        if self.names.contains(key) {
            return self.append(self.redaction.mark(value.description), to: &field, depth: depth)
        }
        switch value {
        case .string(let text): return self.append(text, to: &field, depth: depth)
        case .stringConvertible(let value): return self.append(value.description, to: &field, depth: depth)
        case .array, .dictionary:
            guard depth < Self.deepestValue, field.count < Self.longestValue else {
                return self.append("…", to: &field, depth: depth + 1) || true
            }
            return self.appendNested(value, under: key, to: &field, depth: depth + 1)
        }
    }

    /// Appends a list or dictionary, as JSON in both formats.
    private func appendNested(
        _ value: Logger.MetadataValue,
        under key: String,
        to field: inout [UInt8],
        depth: Int
    ) -> Bool {
        var cut = false
        if case .array(let values) = value {
            field.append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { field.append(UInt8(ascii: ",")) }
                cut = self.append(value, under: key, to: &field, depth: depth) || cut
            }
            field.append(UInt8(ascii: "]"))
        } else if case .dictionary(let values) = value {
            field.append(UInt8(ascii: "{"))
            for (index, (key, value)) in values.sorted(by: { $0.key < $1.key }).enumerated() {
                if index > 0 { field.append(UInt8(ascii: ",")) }
                JSONText.appendQuoted(key, to: &field, limit: 128)
                field.append(UInt8(ascii: ":"))
                cut = self.append(value, under: key, to: &field, depth: depth) || cut
            }
            field.append(UInt8(ascii: "}"))
        }
        return cut
    }

    private func append(_ text: String, to field: inout [UInt8], depth: Int) -> Bool {
        guard self.format == .text, depth == 0, Self.isPlain(text) else {
            return JSONText.appendQuoted(text, to: &field, limit: Self.longestValue)
        }
        return JSONText.appendEscaped(text, to: &field, limit: Self.longestValue, quotes: true)
    }

    /// Returns whether the text format can show this text without quotation marks.
    private static func isPlain(_ text: String) -> Bool {
        !text.isEmpty
            && text.unicodeScalars.allSatisfy {
                $0 != " " && $0 != "=" && $0 != "\"" && $0 != "\\" && !JSONText.isTreacherous($0)
            }
    }
}
