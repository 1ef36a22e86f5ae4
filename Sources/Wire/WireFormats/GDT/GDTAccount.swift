/// One app of one advertiser, for which GDT issues a pair of keys.
package struct GDTAccount: Hashable, Sendable, CustomStringConvertible {
    /// The app's id in the App Store, or in Tencent's open platform for Android.
    package var appID: UInt64
    /// The advertiser account's id at e.qq.com.
    package var advertiserID: UInt64

    package init(appID: UInt64, advertiserID: UInt64) {
        self.appID = appID
        self.advertiserID = advertiserID
    }

    /// The text `app id/advertiser id`, such as `112233/10000`.
    package var description: String { "\(self.appID)/\(self.advertiserID)" }
}
