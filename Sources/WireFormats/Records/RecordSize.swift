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
}
