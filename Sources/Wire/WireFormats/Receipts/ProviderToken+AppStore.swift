extension ProviderToken {
    /// Makes a token for the App Store Server API, which is valid for one app and a few minutes.
    ///
    /// - Parameters:
    ///   - now: milliseconds since 1970.
    ///   - lifetime: how long the token is valid from `now` on.
    ///   - backdating: how far the time of issue is set back, in case Apple's clock is behind ours.
    package init(
        appStoreKey keyID: String,
        issuer: String,
        bundleID: String,
        now: Int64,
        lifetime: Duration,
        backdating: Duration = Self.backdating
    ) {
        let second = now / 1_000
        self.init(
            keyID: keyID,
            issuer: issuer,
            issuedAt: second - backdating.components.seconds,
            expiresAt: second + lifetime.components.seconds,
            audience: "appstoreconnect-v1",
            bundleID: bundleID
        )
    }
}
