/// One app of one advertiser: what GDT issues keys for.
package struct GDTAccount: Hashable, Sendable, CustomStringConvertible {
    package var appID: UInt64
    package var advertiserID: UInt64

    package init(appID: UInt64, advertiserID: UInt64) {
        self.appID = appID
        self.advertiserID = advertiserID
    }

    /// Such as `112233/10000`.
    package var description: String { "\(self.appID)/\(self.advertiserID)" }
}
