/// The headers of one record in one piece of memory, which is used again for the next record.
///
/// A reader that looks at a million records and keeps few of them uses this instead of an array of headers:
/// memory is allocated only until the block is as large as the longest headers need. Slices that this type
/// returns are of that memory: copy the bytes that must outlive the record.
package struct HeaderBlock: Sendable {
    /// The positions of one header's name and value in `bytes`. The value is nil if the header has none.
    package struct Entry: Hashable, Sendable {
        /// The name's UTF-8 bytes.
        package var name: Range<Int>
        /// The value's bytes; nil if the header has no value, empty if its value is empty.
        package var value: Range<Int>?

        /// Makes an entry; both ranges must lie inside the `bytes` of the block that it is put into.
        package init(name: Range<Int>, value: Range<Int>?) {
            self.name = name
            self.value = value
        }
    }

    /// The bytes of all names and values, one after the other.
    package var bytes: [UInt8] = []
    /// The headers in the order of the record. The code that fills the block must keep all ranges inside
    /// `bytes`; reading an entry that lies outside ends the process.
    package var entries: [Entry] = []

    /// Makes a block without headers.
    package init() {}

    /// Copies these headers into a new block.
    package init(_ headers: [RecordHeader]) {
        for header in headers { self.append(header) }
    }

    /// Removes the headers and keeps the memory for the next record.
    package mutating func removeAll() {
        self.bytes.removeAll(keepingCapacity: true)
        self.entries.removeAll(keepingCapacity: true)
    }

    /// Copies one header to the end of the block.
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

    /// Returns whether the header of an entry has this name. Names are compared exactly, byte by byte.
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

    /// Returns the name of a header of this block, as UTF-8 bytes.
    package func name(of entry: Entry) -> ArraySlice<UInt8> { self.bytes[entry.name] }

    /// Returns the value of a header of this block; nil if the header has no value.
    package func value(of entry: Entry) -> ArraySlice<UInt8>? { entry.value.map { self.bytes[$0] } }

    /// Returns the value of the last header of this name, as Kafka's own clients do; nil if there is no such
    /// header, or its value is absent.
    package func value(_ name: StaticString) -> ArraySlice<UInt8>? {
        for entry in self.entries.reversed() where self.isNamed(name, entry) { return self.value(of: entry) }
        return nil
    }
}
