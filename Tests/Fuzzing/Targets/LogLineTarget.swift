import Foundation
import Logging

@testable import Operations

extension FuzzTarget {
    /// The name of a field, and what is logged under it.
    static let logLine = FuzzTarget(
        "log-line",
        longestInput: 1_024,
        words: [
            "deviceId\n", "access_token\n", "time\n", "\\u001b[0m", "\\n", "\"", "recordKey\n", "client-ip\n",
        ]
    ) { input in
        var reader = InputReader(input)
        let name = reader.text()
        let value = reader.remainingText() + LogClaims.canary
        for format in LogFormat.allCases {
            let line = LogClaims.line(name, value, in: format)
            try claim(
                "a line is one line",
                line.last == 0x0A && !line.dropLast().contains { $0 < 0x20 || $0 == 0x7F }
            )
            try claim("a line has a bound", line.count <= LogLine.longest)
            let text = try Objection.unless(String(validating: line, as: UTF8.self), "a line is UTF-8")
            if format == .json { try claim("a line is JSON", FoundationJSON(line)?.members != nil) }
            let isSensitive = SensitiveNames().contains(name) && !name.contains(LogClaims.canary)
            try claim("a sensitive name hides its value", !isSensitive || !text.contains(LogClaims.canary))
            try claim(
                "no mark is left that turns text round",
                !text.unicodeScalars.contains { LogClaims.turns($0) }
            )
        }
    }
}

private enum LogClaims {
    static let canary = "canary-7301"

    static func line(_ name: String, _ value: String, in format: LogFormat) -> [UInt8] {
        let redaction = Redaction(salt: Secret("salt")) { key, bytes in Array((key + bytes + key).prefix(6)) }
        var line = LogLine(format: format, redaction: redaction, names: SensitiveNames())
        let time = Timestamp(millisecondsSince1970: InputReader.now)
        line.start(time: time, level: .notice, logger: "flotilla", message: "answered")
        line.add(name, .string(value))
        line.add("several", .array([.string(name), .dictionary([name: .string(value)])]))
        return line.finish()
    }

    /// Whether a character of a text from outside would change how a line reads.
    static func turns(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x7F...0x9F, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
