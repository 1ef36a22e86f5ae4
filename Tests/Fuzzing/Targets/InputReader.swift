import Records

/// Takes an input apart, for decoders that want more than bytes.
///
/// All but the last part is lines of text, so that a person can read and write a file of the corpus.
struct InputReader {
    private(set) var rest: ArraySlice<UInt8>

    init(_ input: [UInt8]) { self.rest = input[...] }

    /// The next line without its end; empty where there is none.
    mutating func line() -> [UInt8] {
        let line = self.rest.prefix { $0 != UInt8(ascii: "\n") }
        self.rest = self.rest[line.endIndex...].dropFirst()
        return Array(line)
    }

    mutating func text() -> String { String(decoding: self.line(), as: UTF8.self) }

    /// The number that a line holds; `fallback` where it holds none.
    mutating func number<Number: FixedWidthInteger>(or fallback: Number) -> Number {
        Number(self.text()) ?? fallback
    }

    /// The rest of the input, as bytes and as text.
    mutating func remainder() -> [UInt8] {
        defer { self.rest = [] }
        return Array(self.rest)
    }

    mutating func remainingText() -> String { String(decoding: self.remainder(), as: UTF8.self) }

    /// A record written as an HTTP message is: headers as `name: value`, an empty line, the value. A name alone is
    /// a header without a value, and without an empty line there is no value.
    mutating func record(topic: String = "activation", key: [UInt8]? = nil) -> InboundRecord {
        var record = InboundRecord(topic: topic, partition: 0, offset: 7, timestamp: Self.now, key: key)
        while !self.rest.isEmpty {
            let line = self.line()
            guard !line.isEmpty else {
                record.value = self.remainder()
                break
            }
            let name = line.prefix { $0 != UInt8(ascii: ":") }
            let value = line[name.endIndex...].dropFirst().drop { $0 == UInt8(ascii: " ") }
            let hasValue = name.count < line.count
            record.headers.append(
                RecordHeader(String(decoding: name, as: UTF8.self), hasValue ? Array(value) : nil)
            )
        }
        return record
    }

    /// When everything happens: 2026-11-21 08:00 UTC, in milliseconds since 1970.
    static let now: Int64 = 1_795_248_000_000
}
