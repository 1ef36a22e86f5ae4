/// The headers of one record in one piece of memory, which the next record's take over.
///
/// For whoever looks at a million records and keeps few: nothing is allocated for a header but the room that the
/// longest record needs. What is kept of a value has to be copied out of it.
package struct HeaderBlock: Sendable {
    /// Where the name and the value of a header stand in `bytes`. A value can be absent.
    package struct Entry: Hashable, Sendable {
        package var name: Range<Int>
        package var value: Range<Int>?

        package init(name: Range<Int>, value: Range<Int>?) {
            self.name = name
            self.value = value
        }
    }

    package var bytes: [UInt8] = []
    /// In the order of the record. Whoever fills the block sees to it that they lie inside `bytes`.
    package var entries: [Entry] = []

    package init() {}

    package init(_ headers: [RecordHeader]) {
        for header in headers { self.append(header) }
    }

    /// Forgets the headers and keeps the memory.
    package mutating func removeAll() {
        self.bytes.removeAll(keepingCapacity: true)
        self.entries.removeAll(keepingCapacity: true)
    }

    package mutating func append(_ header: RecordHeader) {
        let start = self.bytes.count
        self.bytes += header.name.utf8
        let end = self.bytes.count
        guard let value = header.value else {
            return self.entries.append(Entry(name: start..<end, value: nil))
        }
        self.bytes += value
        self.entries.append(Entry(name: start..<end, value: end..<self.bytes.count))
    }

    /// Whether a header has this name. Names are compared exactly.
    package func isNamed(_ name: StaticString, _ entry: Entry) -> Bool {
        let wanted = name.utf8CodeUnitCount
        guard entry.name.count == wanted else { return false }
        return name.withUTF8Buffer { buffer in
            for index in 0..<wanted where unsafe buffer[index] != self.bytes[entry.name.lowerBound + index] {
                return false
            }
            return true
        }
    }

    package func name(of entry: Entry) -> ArraySlice<UInt8> { self.bytes[entry.name] }

    /// Nil where the header has no value.
    package func value(of entry: Entry) -> ArraySlice<UInt8>? { entry.value.map { self.bytes[$0] } }

    /// The last value of a header, as Kafka's own clients read it.
    package func value(_ name: StaticString) -> ArraySlice<UInt8>? {
        for entry in self.entries.reversed() where self.isNamed(name, entry) { return self.value(of: entry) }
        return nil
    }
}
