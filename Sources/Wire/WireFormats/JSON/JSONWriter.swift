import Cryptography

/// A writer of JSON objects, member by member, as proto3's mapping prescribes: empty strings are left out,
/// and 64-bit integers are strings. Numbers are written even if they are 0, because a `ret` or an offset of 0
/// is information.
///
/// The fleet writes one result for every record, and this writer is several times faster than the general
/// encoder. Tests hold the two to the same documents. Names of members are written without escapes, so they
/// have to be plain.
struct JSONWriter {
    private(set) var text: [UInt8] = []
    private var needsComma = false
    private let replacesNull: Bool

    /// - Parameter replacesNull: Whether U+0000 in texts becomes U+FFFD. Some databases take no text with the former.
    init(reserving capacity: Int, replacesNull: Bool = false) {
        self.replacesNull = replacesNull
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

    /// Writes a list of objects; an empty list is left out, unless the reader expects one.
    mutating func objects<Element>(
        _ name: String,
        _ elements: [Element],
        keepsEmpty: Bool = false,
        members: (inout JSONWriter, Element) -> Void
    ) {
        guard keepsEmpty || !elements.isEmpty else { return }
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

    /// Writes a string even if it is empty; nil is left out.
    mutating func optionalString(_ name: String, _ value: String?) {
        guard let value else { return }
        self.name(name)
        self.quoted(value)
    }

    /// Writes a string whose bytes the caller appends directly to the document; they are escaped afterwards
    /// if necessary.
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

    /// Writes a 64-bit integer as a string.
    mutating func int64(_ name: String, _ value: some FixedWidthInteger) {
        self.name(name)
        self.text.append(UInt8(ascii: "\""))
        self.text.appendDecimal(value)
        self.text.append(UInt8(ascii: "\""))
    }

    /// Writes an integer as a JSON number, for upstreams and for tools of people. In proto3's mapping only
    /// integers of up to 32 bits are numbers.
    mutating func number(_ name: String, _ value: Int64) {
        self.name(name)
        self.text.appendDecimal(value)
    }

    /// Writes a number, or null if there is none.
    mutating func optionalNumber(_ name: String, _ value: Int64?) {
        guard let value else { return self.null(name) }
        self.number(name, value)
    }

    /// Writes a number, or null if there is none or JSON cannot express it (infinity, NaN).
    mutating func optionalNumber(_ name: String, _ value: Double?) {
        guard let value, value.isFinite else { return self.null(name) }
        self.name(name)
        self.text += String(value).utf8
    }

    mutating func null(_ name: String) {
        self.name(name)
        self.text += "null".utf8
    }

    /// Writes an object of numbers, even if it is empty. Its names are escaped, because they come from
    /// outside.
    mutating func numbers(_ name: String, _ entries: [(key: String, value: Int64)]) {
        self.object(name) { json in
            for entry in entries {
                json.name(escaping: entry.key)
                json.text.appendDecimal(entry.value)
            }
        }
    }

    /// Writes an object of strings, even if it is empty. Its names are escaped, because they come from outside.
    mutating func strings(_ name: String, _ entries: [(name: String, value: String)]) {
        self.object(name) { json in
            for entry in entries {
                json.name(escaping: entry.name)
                json.quoted(entry.value)
            }
        }
    }

    /// Writes a text whose name is escaped too, because it comes from outside.
    mutating func string(escaping name: String, _ value: String) {
        self.name(escaping: name)
        self.quoted(value)
    }

    /// Writes a member whose value is JSON already. Its name is escaped, because it comes from outside.
    mutating func raw(escaping name: String, _ value: String) {
        self.name(escaping: name)
        self.text += value.utf8
    }

    /// Writes a list of JSON numbers, even if it is empty.
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

    /// Writes a time in RFC 3339, given in milliseconds since 1970.
    mutating func timestamp(_ name: String, _ milliseconds: Int64) {
        self.name(name)
        self.text.append(UInt8(ascii: "\""))
        RFC3339.append(milliseconds, to: &self.text)
        self.text.append(UInt8(ascii: "\""))
    }

    /// Writes a name that comes from outside.
    private mutating func name(escaping name: String) {
        self.separate()
        self.quoted(name)
        self.text.append(UInt8(ascii: ":"))
    }

    /// Writes a comma if a member stands before.
    private mutating func separate() {
        if self.needsComma {
            self.text.append(UInt8(ascii: ","))
        }
        self.needsComma = true
    }

    private mutating func name(_ name: String) {
        let needsComma = self.needsComma
        self.needsComma = true
        self.text.append(addingCapacity: name.utf8.count + 4) { text in
            if needsComma { text.append(UInt8(ascii: ",")) }
            text.append(UInt8(ascii: "\""))
            text.append(name)
            text.append(UInt8(ascii: "\""))
            text.append(UInt8(ascii: ":"))
        }
    }

    private mutating func quoted(_ value: String) {
        guard Self.isPlain(value) else { return self.quotedWithEscapes(value) }
        self.text.append(addingCapacity: value.utf8.count + 2) { text in
            text.append(UInt8(ascii: "\""))
            text.append(value)
            text.append(UInt8(ascii: "\""))
        }
    }

    private mutating func quotedWithEscapes(_ value: String) {
        self.text.append(UInt8(ascii: "\""))
        for byte in value.utf8 { self.escaped(byte) }
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
        guard byte != 0 || !self.replacesNull else { return self.text += "\u{FFFD}".utf8 }
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
