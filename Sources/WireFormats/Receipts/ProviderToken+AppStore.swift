extension ProviderToken {
    /// A token for the App Store Server API: good for one app and a few minutes. `now` is in milliseconds since 1970.
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
