/// A request target of GDT's conversion API: the path with the app's id, and the four fields that the
/// signature does not cover.
struct GDTTarget {
    let appID: String
    /// The encrypted report, in base64.
    let v: [UInt8]
    let conversionType: String
    let appType: String
    let advertiserID: String

    /// Parses a request target; nil if the path is another one, or a field is missing or empty.
    init?(_ target: [UInt8]) {
        let path = Self.withoutAuthority(target[...])
        let mark = path.firstIndex(of: UInt8(ascii: "?")) ?? path.endIndex
        let parts = path[..<mark].split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.count == 5, parts[0].isEmpty, parts[1].elementsEqual("conv".utf8),
            parts[2].elementsEqual("app".utf8), !parts[3].isEmpty, parts[4].elementsEqual("conv".utf8)
        else { return nil }

        let fields = FormFields(decoding: path[mark...].dropFirst())
        guard let v = fields["v"], let conversionType = fields["conv_type"], let appType = fields["app_type"],
            let advertiserID = fields["advertiser_id"]
        else { return nil }
        self.appID = String(decoding: parts[3], as: UTF8.self)
        self.v = v
        self.conversionType = String(decoding: conversionType, as: UTF8.self)
        self.appType = String(decoding: appType, as: UTF8.self)
        self.advertiserID = String(decoding: advertiserID, as: UTF8.self)
    }

    /// Removes `http://` and the host: a client that treats the simulator as its proxy sends the whole URL.
    private static func withoutAuthority(_ target: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard target.starts(with: "http://".utf8) else { return target }
        let rest = target.dropFirst("http://".utf8.count)
        return rest.drop { $0 != UInt8(ascii: "/") }
    }
}
