/// One header of a record. Kafka allows a name to occur more than once, and a value to be absent.
package struct RecordHeader: Hashable, Sendable {
    /// The name. Names that differ in case are different.
    package var name: String
    /// The value's bytes; nil if the header has no value, which differs from an empty value.
    package var value: [UInt8]?

    /// Makes a header from bytes, or without a value.
    package init(_ name: String, _ value: [UInt8]?) {
        self.name = name
        self.value = value
    }

    /// Makes a header whose value is the UTF-8 bytes of a text.
    package init(_ name: String, _ value: String) {
        self.init(name, Array(value.utf8))
    }

    /// Returns whether the header has this name, byte for byte. A publisher chooses names of any length, and `==`
    /// of two strings takes a time that grows with the square of a run of combining marks.
    package func isNamed(_ name: String) -> Bool {
        self.name.utf8.count == name.utf8.count && self.name.utf8.elementsEqual(name.utf8)
    }

    /// Returns whether the header's name begins with these bytes.
    package func isNamed(startingWith prefix: String) -> Bool { self.name.utf8.starts(with: prefix.utf8) }
}
