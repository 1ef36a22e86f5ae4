package import WireFormats

/// A click on an advertisement, from the topic `activation-click`: the query of a request of Tencent's click feed.
public struct AdClick: Hashable, Sendable {
    /// The topic's name where no setting says otherwise.
    public static let topic = "activation-click"

    package let click: WireFormats.AdClick
    /// The query as it came.
    public let query: [UInt8]

    /// Reads the query of a request of the feed, in the old names or with the names of the macros.
    ///
    /// - Throws: `RecordError` with `click.no_identity`, `click.app_id`, `click.advertiser_id`, `click.time` or `click.too_large`.
    public init(query: [UInt8]) throws(RecordError) {
        do throws(WireFormats.AdClick.Fault) {
            self.click = try WireFormats.AdClick(query: query)
        } catch {
            throw RecordError(error.reason)
        }
        self.query = query
    }

    /// Reads a record of the topic.
    public init(decoding record: Record) throws(RecordError) { try self.init(query: record.value ?? []) }

    /// The app at Apple or Tencent; nil if the feed does not tell.
    public var appID: UInt64? { self.click.appID }
    /// The account that paid for the advertisement; nil if the feed does not tell.
    public var advertiserID: UInt64? { self.click.advertiserID }
    /// The digest of the device's id: 32 lower-case hexadecimal digits; nil if the feed does not tell.
    public var muid: String? { self.click.muid }
    /// The id of the click; nil if the feed does not tell.
    public var clickID: String? { self.click.clickID }
    /// The time of the click in seconds since 1970.
    public var clickedAt: Int64 { self.click.clickedAt }
    /// The address to which a conversion of the click is reported, decoded once; nil if the feed does not tell.
    public var callback: String? { self.click.callback }

    /// Returns a record that holds the click, under the muid, or else under the id of the click.
    ///
    /// - Parameter clientIP: The address that the feed came from; nil if it is unknown.
    public func record(to topic: String = Self.topic, clientIP: String? = nil) -> OutgoingRecord {
        OutgoingRecord(
            topic: topic,
            key: (self.muid ?? self.clickID).map { Array($0.utf8) },
            value: self.query,
            headers: clientIP.map { [Header(WireFormats.AdClick.clientIPHeader, $0)] } ?? []
        )
    }
}
