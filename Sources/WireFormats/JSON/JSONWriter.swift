import Cryptography

/// Writes JSON objects member by member, as proto3's mapping wants them: empty strings are left out, 64-bit
/// integers are strings. Numbers are always written: a `ret` or an offset of 0 says something.
///
/// The fleet writes one result for every record, and this is several times faster than the general encoder. Tests
/// hold the two to the same documents.
struct JSONWriter {
    private(set) var text: [UInt8] = []
    private var needsComma = false

    init(reserving capacity: Int) {
        self.text.reserveCapacity(capacity)
    }

    mutating func object(_ members: (inout JSONWriter) -> Void) {
        self.text.append(UInt8(ascii: "{"))
        self.needsComma = false
        members(&self)
        self.text.append(UInt8(ascii: "}"))
        self.needsComma = true
    }

    mutating func object(_ name: String, _ members: (inout JSONWriter) -> Void) {
        self.name(name)
        self.object(members)
    }

    /// A list of objects, left out if it is empty.
    mutating func objects<Element>(
        _ name: String,
        _ elements: [Element],
        _ members: (inout JSONWriter, Element) -> Void
    ) {
        guard !elements.isEmpty else { return }
        self.name(name)
        self.text.append(UInt8(ascii: "["))
        for (index, element) in elements.enumerated() {
            if index > 0 { self.text.append(UInt8(ascii: ",")) }
            self.object { members(&$0, element) }
        }
        self.text.append(UInt8(ascii: "]"))
        self.needsComma = true
    }

    mutating func string(_ name: String, _ value: String) {
        guard !value.isEmpty else { return }
        self.name(name)
        self.quoted(value)
    }

    /// A string that is there even when it is empty.
    mutating func optionalString(_ name: String, _ value: String?) {
        guard let value else { return }
        self.name(name)
        self.quoted(value)
    }

    /// A string that is put together on the spot.
    mutating func text(_ name: String, _ append: (inout [UInt8]) -> Void) {
        self.name(name)
        self.text.append(UInt8(ascii: "\""))
        let start = self.text.count
        append(&self.text)
        if !self.isPlain(from: start) {
            let bytes = Array(self.text[start...])
            self.text.removeSubrange(start...)
            for byte in bytes { self.escaped(byte) }
        }
        self.text.append(UInt8(ascii: "\""))
    }

    mutating func int32(_ name: String, _ value: Int32) {
        self.name(name)
        self.text.appendDecimal(value)
    }

    mutating func int64(_ name: String, _ value: some FixedWidthInteger) {
        self.name(name)
        self.text.append(UInt8(ascii: "\""))
        self.text.appendDecimal(value)
        self.text.append(UInt8(ascii: "\""))
    }

    /// The same without a string on the way.
    mutating func int64(_ name: String, _ value: Int64) {
        self.name(name)
        self.text.append(UInt8(ascii: "\""))
        self.text.appendDecimal(value)
        self.text.append(UInt8(ascii: "\""))
    }

    /// A number as such, for upstreams and for people's tools: of proto3's mapping, only those of 32 bits are.
    mutating func number(_ name: String, _ value: Int64) {
        self.name(name)
        self.text.appendDecimal(value)
    }

    /// Null says that there is none.
    mutating func optionalNumber(_ name: String, _ value: Int64?) {
        guard let value else { return self.null(name) }
        self.number(name, value)
    }

    /// Null says that there is none; so it does for what JSON cannot write.
    mutating func optionalNumber(_ name: String, _ value: Double?) {
        guard let value, value.isFinite else { return self.null(name) }
        self.name(name)
        self.text += String(value).utf8
    }

    mutating func null(_ name: String) {
        self.name(name)
        self.text += "null".utf8
    }

    /// An object of numbers, also one that is empty, with names that somebody else has thought of.
    mutating func numbers(_ name: String, _ entries: [(key: String, value: Int64)]) {
        self.object(name) { json in
            for (index, entry) in entries.enumerated() {
                if index > 0 { json.text.append(UInt8(ascii: ",")) }
                json.quoted(entry.key)
                json.text.append(UInt8(ascii: ":"))
                json.text.appendDecimal(entry.value)
            }
        }
    }

    /// A list of numbers as such, also one that is empty.
    mutating func numbers(_ name: String, _ values: some Sequence<Int64>) {
        self.name(name)
        self.text.append(UInt8(ascii: "["))
        var isFirst = true
        for value in values {
            if !isFirst { self.text.append(UInt8(ascii: ",")) }
            isFirst = false
            self.text.appendDecimal(value)
        }
        self.text.append(UInt8(ascii: "]"))
    }

    mutating func bool(_ name: String, _ value: Bool) {
        self.name(name)
        self.text += (value ? "true" : "false").utf8
    }

    /// Milliseconds since 1970.
    mutating func timestamp(_ name: String, _ milliseconds: Int64) {
        self.name(name)
        self.text.append(UInt8(ascii: "\""))
        RFC3339.append(milliseconds, to: &self.text)
        self.text.append(UInt8(ascii: "\""))
    }

    private mutating func name(_ name: String) {
        if self.needsComma {
            self.text.append(UInt8(ascii: ","))
        }
        self.needsComma = true
        self.text.append(UInt8(ascii: "\""))
        self.text += name.utf8
        self.text += "\":".utf8
    }

    private mutating func quoted(_ value: String) {
        self.text.append(UInt8(ascii: "\""))
        if Self.isPlain(value) {
            self.text += value.utf8
        } else {
            for byte in value.utf8 { self.escaped(byte) }
        }
        self.text.append(UInt8(ascii: "\""))
    }

    private func isPlain(from start: Int) -> Bool {
        let bytes = self.text.span
        for index in start..<bytes.count where !Self.isPlain(bytes[index]) { return false }
        return true
    }

    private static func isPlain(_ text: String) -> Bool {
        let utf8 = text.utf8
        let bytes = utf8.span
        for index in bytes.indices where !self.isPlain(bytes[index]) { return false }
        return true
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\") && byte != 0x7F
    }

    private mutating func escaped(_ byte: UInt8) {
        guard !Self.isPlain(byte) else { return self.text.append(byte) }
        self.text.append(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"):
            self.text.append(byte)
        default:
            self.text += "u00".utf8
            self.text += Hexadecimal.encode([byte])
        }
    }
}
