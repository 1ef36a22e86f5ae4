/// What every request begins with.
struct RequestHeader {
    var api: API
    var version: Int16
    var correlation: Int32
    var clientID: String

    /// False for ApiVersions in a version from the future, which is answered in version 0 as the protocol has it.
    var isSupported: Bool { self.api.versions.contains(self.version) }

    /// - Throws: for what this broker does not answer: Kafka, too, closes the connection then.
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
