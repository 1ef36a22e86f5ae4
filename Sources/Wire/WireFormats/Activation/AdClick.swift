/// A click on an advertisement, as Tencent's click feed tells of it.
///
/// The feed is a GET to the advertiser's address, and this reads its query. The old interface has fixed names
/// (`muid`, `click_time`, `click_id`, `appid`, `advertiser_id`); in the new one an advertiser chooses the names of the macros'
/// values, and gives them the macros' own names in any case. A macro that was not replaced, such as
/// `__MUID__`, counts as absent.
package struct AdClick: Hashable, Sendable {
    /// The app at Apple or Tencent; nil if the feed does not tell.
    package var appID: UInt64?
    /// The account that paid for the advertisement; nil if the feed does not tell.
    package var advertiserID: UInt64?
    /// The digest of the device's id: 32 lower-case hexadecimal digits; nil if the feed does not tell.
    package var muid: String?
    /// The id of the click; nil if the feed does not tell.
    package var clickID: String?
    /// The time of the click in seconds since 1970.
    package var clickedAt: Int64
    /// The address to which a conversion of the click is reported, decoded once; nil if the feed does not tell, or
    /// tells something that is no such address.
    package var callback: String?

    /// The header of a record with the address that the click feed came from.
    package static let clientIPHeader = "click.client_ip"

    /// The longest query that is read, in bytes.
    package static let queryBytesLimit = 16 << 10
    /// The longest id of a click, in bytes. It is the limit of an activation's `clickId` too.
    package static let clickIDBytesLimit = 128

    /// The ways in which a query is no click.
    package enum Fault: String, Error, Hashable, Sendable, CaseIterable {
        case tooLarge = "too_large"
        case noIdentity = "no_identity"
        case appID = "app_id"
        case advertiserID = "advertiser_id"
        case time

        /// The reason of the outcome.
        package var reason: Reason { Reason("click.\(self.rawValue)", self.message) }

        private var message: String {
            switch self {
            case .tooLarge: "The query is longer than a worker reads."
            case .noIdentity: "The query names neither a muid nor a click."
            case .appID: "The app of the click is no number."
            case .advertiserID: "The account of the click is no number."
            case .time: "The time of the click is missing, no number of seconds, or later than now."
            }
        }
    }

    /// Reads the query of a request of the feed.
    ///
    /// - Parameter query: what follows the `?`; a `?` before it is skipped.
    package init(query: [UInt8]) throws(Fault) {
        guard query.count <= Self.queryBytesLimit else { throw .tooLarge }
        let values = Self.values(in: query)
        self.muid = values["muid"].flatMap(Self.digest)
        self.clickID = values["click_id"].flatMap(Self.clickID)
        self.appID = try Self.number(values["appid"], orElse: .appID)
        self.advertiserID = try Self.number(values["advertiser_id"], orElse: .advertiserID)
        guard self.muid != nil || self.clickID != nil else { throw .noIdentity }
        guard let time = values["click_time"].flatMap({ Int64($0) }), Self.times.contains(time) else {
            throw .time
        }
        self.clickedAt = time
        self.callback = values["callback"].flatMap(Self.callback)
    }

    /// Returns the number of an app or an account; nil if the feed does not tell it. A click that tells another thing could
    /// lead to activations of every app.
    private static func number(_ text: String?, orElse fault: Fault) throws(Fault) -> UInt64? {
        guard let text else { return nil }
        guard let number = UInt64(text) else { throw fault }
        return number
    }

    private static let times: ClosedRange<Int64> = 1_000_000_000...253_402_300_799

    /// The names above have fewer bytes. A longer one is not looked at, because everybody can send clicks.
    private static let nameBytesLimit = 64

    /// The first value of each name, in lower case.
    private static func values(in query: [UInt8]) -> [String: String] {
        var values: [String: String] = [:]
        let text = query.first == UInt8(ascii: "?") ? query.dropFirst() : query[...]
        for pair in text.split(separator: UInt8(ascii: "&")) {
            let parts = pair.split(
                separator: UInt8(ascii: "="),
                maxSplits: 1,
                omittingEmptySubsequences: false
            )
            guard parts.count == 2, !parts[1].isEmpty, parts[0].count <= Self.nameBytesLimit else { continue }
            let bytes = PercentEncoding.decode(parts[1])
            let isMacro = bytes.starts(with: "__".utf8) && bytes.suffix(2).elementsEqual("__".utf8)
            guard !isMacro else { continue }
            let value = String(decoding: bytes, as: UTF8.self)
            let name = String(decoding: parts[0], as: UTF8.self).lowercased()
            if values[name] == nil { values[name] = value }
        }
        return values
    }

    private static func digest(_ text: String) -> String? {
        let digest = text.lowercased()
        return (try? MUID(digest: digest)) == nil ? nil : digest
    }

    /// Its rules are checked where it is called. Here it has to be short, without spaces, and an address after one
    /// decoding: another one would turn the escapes of its own `cb` into other characters.
    private static func callback(_ text: String) -> String? {
        guard text.utf8.count <= CallbackURL.bytesLimit, text.utf8.allSatisfy(\.isVisible) else { return nil }
        return CallbackURL.isDecoded(text) ? text : nil
    }

    private static func clickID(_ text: String) -> String? {
        let bytes = text.utf8
        return bytes.count <= self.clickIDBytesLimit && bytes.allSatisfy(\.isVisible) ? text : nil
    }
}
