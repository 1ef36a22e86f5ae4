/// A header of a record. Kafka allows a name to repeat and a value to be absent.
package struct RecordHeader: Hashable, Sendable {
    package var name: String
    package var value: [UInt8]?

    package init(_ name: String, _ value: [UInt8]?) {
        self.name = name
        self.value = value
    }

    package init(_ name: String, _ value: String) {
        self.init(name, Array(value.utf8))
    }
}
