/// The header at the beginning of every request.
struct RequestHeader {
    var api: API
    var version: Int16
    var correlation: Int32
    var clientID: String

    /// Whether the broker supports the version. Only an ApiVersions request may be unsupported, and is
    /// answered in version 0, as the protocol demands.
    var isSupported: Bool { self.api.versions.contains(self.version) }

    /// - Throws: `Malformed` for a request or version that this broker does not support. Kafka closes the
    ///   connection as well.
    init(reading reader: inout Reader) throws(Malformed) {
        let (key, version, correlation) = (try reader.int16(), try reader.int16(), try reader.int32())
        guard let api = API(rawValue: key) else { throw Malformed() }
        guard api.versions.contains(version) || api == .apiVersions else { throw Malformed() }
        (self.api, self.version, self.correlation) = (api, version, correlation)
        self.clientID = try reader.plainNullableString() ?? ""
        if self.isSupported {
            reader.isFlexible = api.isFlexible(version)
            try reader.endStructure()
        }
    }
}
