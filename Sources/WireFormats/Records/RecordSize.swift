package import Records

extension OutboundRecord {
    /// At most this many bytes as a record of Kafka's message format 2, before compression. Lengths count as the
    /// longest varints that can write them, so a record that fits by this measure fits.
    package var encodedBytesBound: Int {
        // Attributes; the lengths of record, key, value and header count; deltas of offset and timestamp.
        let fixed = 1 + 4 * 5 + 5 + 10
        let headers = self.headers.reduce(0) { $0 + 2 * 5 + $1.name.utf8.count + ($1.value?.count ?? 0) }
        return fixed + (self.key?.count ?? 0) + (self.value?.count ?? 0) + headers
    }

    /// In a record that had to leave out its key: how many bytes the key had.
    package static let keyOmittedHeader = "outcome.key_omitted"

    /// Leaves the key out where the record would be too large with it, and says so in a header. For records whose value
    /// and headers are bounded, so that the key alone decides whether a broker takes them.
    ///
    /// - Parameter limit: of `encodedBytesBound`.
    package mutating func omitKey(beyond limit: Int) {
        guard let key = self.key, self.encodedBytesBound > limit else { return }
        self.key = nil
        self.headers.append(RecordHeader(Self.keyOmittedHeader, String(key.count)))
    }
}
