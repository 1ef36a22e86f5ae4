package import Records

extension OutboundRecord {
    /// An upper bound of the record's size in Kafka's message format 2, before compression, in bytes. Each
    /// length counts as the longest varint, so a record whose bound fits also fits itself.
    package var encodedBytesBound: Int {
        // The fixed part: attributes; the lengths of record, key, value and header count; the deltas of
        // offset and timestamp.
        let fixed = 1 + 4 * 5 + 5 + 10
        let headers = self.headers.reduce(0) { $0 + 2 * 5 + $1.name.utf8.count + ($1.value?.count ?? 0) }
        return fixed + (self.key?.count ?? 0) + (self.value?.count ?? 0) + headers
    }

    /// The header that stands in for a key that was left out; its value is the number of the key's bytes.
    package static let keyOmittedHeader = "outcome.key_omitted"

    /// Leaves the key out if the record would be too large with it, and records the key's size in a header.
    /// For records whose value and headers are bounded, so that only the key decides whether a broker accepts
    /// them.
    ///
    /// - Parameter limit: the most bytes that `encodedBytesBound` may be.
    package mutating func omitKey(beyond limit: Int) {
        if self.encodedBytesBound > limit { self.omitKey() }
    }

    /// Leaves the key out if it is longer than a number of bytes, and records its size in a header. For records of which
    /// one input may give many, so that they do not carry a large key a thousand times.
    package mutating func omitKey(longerThan limit: Int) {
        if let key = self.key, key.count > limit { self.omitKey() }
    }

    private mutating func omitKey() {
        guard let key = self.key else { return }
        self.key = nil
        self.headers.append(RecordHeader(Self.keyOmittedHeader, String(key.count)))
    }
}
