import Foundation
import Logging
import Operations
import Synchronization
import Testing

/// Keeps what was logged.
final class LineCollector: Sendable {
    private let lines = Mutex<[String]>([])

    var text: String { self.lines.withLock { $0.joined() } }
    var count: Int { self.lines.withLock { $0.count } }

    var sink: LogSink {
        LogSink { line in self.lines.withLock { $0.append(String(decoding: line, as: UTF8.self)) } }
    }
}

/// No cryptography: enough to see that key and bytes both count.
let toyHash: Redaction.KeyedHash = { key, bytes in
    var state: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in key + bytes { state = (state ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return (0..<8).map { UInt8(truncatingIfNeeded: state >> (UInt64($0) * 8)) }
}

struct LogLineTests {
    let collector = LineCollector()
    let redaction = Redaction(salt: Secret("salt"), hash: toyHash)

    func logger(_ format: LogFormat, level: Logger.Level = .info) -> Logger {
        var logger = Logger(label: "worker") { label in
            StructuredLogHandler(
                label: label,
                level: LogLevelSwitch(level),
                format: format,
                redaction: self.redaction,
                sink: self.collector.sink,
                now: { Timestamp(millisecondsSince1970: 1_795_248_000_123) }
            )
        }
        logger.logLevel = level
        return logger
    }

    @Test func writesJSON() {
        self.logger(.json).info(
            "ready",
            metadata: ["b": "2", "a": ["x", .stringConvertible(7), ["k": "v"]]]
        )
        #expect(
            self.collector.text == #"""
                {"time":"2026-11-21T08:00:00.123Z","level":"info","logger":"worker","message":"ready","a":["x","7",{"k":"v"}],"b":"2"}

                """#
        )
    }

    @Test func writesText() {
        self.logger(.text).warning(
            "slow upstream",
            metadata: ["host": "a.b", "why": "two words", "none": "", "n": ["q"]]
        )
        #expect(
            self.collector.text == #"""
                2026-11-21T08:00:00.123Z warning worker: slow upstream host=a.b n=["q"] none="" why="two words"

                """#
        )
    }

    @Test(arguments: LogFormat.allCases)
    func nothingFromOutsideStartsALineOrACommand(format: LogFormat) {
        let hostile = "a\n2026 error worker: forged\r\u{1B}[31m\u{2028}\u{85}\u{202E}\0\u{7F}"
        var logger = self.logger(format)
        logger[metadataKey: "line\nkey=1"] = "\(hostile)"
        logger.info("\(hostile)", metadata: ["list": ["\(hostile)"], "time": "forged", "level": "forged"])
        let text = self.collector.text
        #expect(text.unicodeScalars.filter { $0.properties.generalCategory == .control } == ["\n"])
        #expect(text.hasSuffix("\n"))
        #expect(!text.unicodeScalars.contains("\u{2028}") && !text.unicodeScalars.contains("\u{202E}"))
        #expect(text.contains(#"a\n2026 error worker: forged\r\u001b[31m\u2028\u0085\u202e\u0000\u007f"#))
    }

    @Test func jsonSurvivesAReader() throws {
        let hostile = "quote \" back \\ tab \t nul \0 emoji 🚢"
        self.logger(.json).error("\(hostile)", metadata: ["time": "mine", "k\"": "\(hostile)"])
        let object = try JSONSerialization.jsonObject(with: Data(self.collector.text.utf8))
        let fields = try #require(object as? [String: String])
        #expect(fields["message"] == hostile)
        #expect(fields["k\""] == hostile)
        #expect(fields["time"] == "2026-11-21T08:00:00.123Z")
        #expect(fields["time_"] == "mine")
    }

    @Test(arguments: [
        "key", "record_key", "recordKey", "Record-Key", "device_id", "deviceId", "idfa", "hash_idfa", "imei",
        "muid",
        "value", "payload", "authorization", "Authorization", "proxy.authorization", "sign_key",
        "encrypt_key",
        "password", "db_password", "token", "access_token", "tokens", "secret", "clientSecret", "click_id",
        "client_ip",
        "private_key", "transaction_id",
    ])
    func sensitiveFieldsAreMaskedWhoeverLogsThem(name: String) {
        self.logger(.text).info("m", metadata: ["\(name)": "f81d4fae", "nested": ["\(name)": ["f81d4fae"]]])
        #expect(!self.collector.text.contains("f81d4fae"))
        #expect(self.collector.text.contains("=\(self.redaction.mark("f81d4fae"))"))
    }

    @Test(arguments: [
        "topic", "keys_seen", "partition", "values", "upstream", "status", "keyed", "offset", "tokenizer",
    ])
    func otherFieldsAreNot(name: String) {
        self.logger(.text).info("m", metadata: ["\(name)": "f81d4fae"])
        #expect(self.collector.text.contains("\(name)=f81d4fae"))
    }

    @Test(arguments: LogFormat.allCases)
    func noLineIsLongerThanItsLimitAndJSONStaysWhole(format: LogFormat) throws {
        let long = String(repeating: "é\n", count: 20_000)
        var metadata: Logger.Metadata = [:]
        for index in 0..<20 { metadata["field\(index)"] = "\(long)" }
        metadata["deep"] = (0..<200).reduce("x") { inner, _ in .array([inner]) }
        self.logger(format).info("\(long)", metadata: metadata)
        let text = self.collector.text
        #expect(self.collector.count == 1)
        #expect(text.utf8.count <= 8_192)
        #expect(text.contains(format == .json ? "\"truncated\":true}" : " truncated=true\n"))
        if format == .json {
            _ = try JSONSerialization.jsonObject(with: Data(text.utf8))
        }
    }

    @Test func metadataOfCallsWinsOverThatOfTheLogger() {
        var logger = self.logger(.text)
        logger[metadataKey: "a"] = "logger"
        logger[metadataKey: "b"] = "logger"
        let other = logger
        logger[metadataKey: "b"] = nil
        logger.info("m", metadata: ["a": "call"])
        other.debug("not shown")
        #expect(self.collector.text == "2026-11-21T08:00:00.123Z info worker: m a=call\n")
    }

    @Test func marksCompareWithinASaltOnly() {
        let mark = self.redaction.mark("device-1")
        #expect(mark.count == 13 && mark.hasPrefix("#"))
        #expect(mark.dropFirst().allSatisfy { $0.isHexDigit })
        #expect(mark == Redaction(salt: Secret("salt"), hash: toyHash).mark(Array("device-1".utf8)))
        #expect(mark != self.redaction.mark("device-2"))
        #expect(mark != Redaction(salt: Secret("pepper"), hash: toyHash).mark("device-1"))
        #expect(Redaction(hash: toyHash).mark("device-1") != Redaction(hash: toyHash).mark("device-1"))
        #expect(Redaction(hash: { _, _ in [] }).mark("device-1") == "#redacted")
    }

    @Test(arguments: [
        (0, "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
        (951_782_400_000, "2000-02-29T00:00:00.000Z"), (4_107_542_399_999, "2100-02-28T23:59:59.999Z"),
        (4_107_542_400_000, "2100-03-01T00:00:00.000Z"), (1_735_689_599_001, "2024-12-31T23:59:59.001Z"),
    ])
    func writesTimesAsRFC3339(milliseconds: Int64, text: String) {
        #expect(Timestamp(millisecondsSince1970: milliseconds).description == text)
    }
}
