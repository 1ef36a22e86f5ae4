/// One of Apple's two hosts. Each host knows only its own purchases.
package enum StoreHost: String, Hashable, Sendable, CaseIterable {
    /// Purchases from the App Store.
    case production
    /// Purchases in builds from Xcode, in TestFlight and in App Review.
    case sandbox

    /// The other one of the two hosts.
    package var other: StoreHost { self == .production ? .sandbox : .production }

    /// The environment of the purchases that this host knows.
    package var environment: StoreEnvironment { self == .production ? .production : .sandbox }
}

extension StoreHost {
    /// The address of the App Store Server API, without a slash at its end.
    package var appStoreURL: String {
        switch self {
        case .production: "https://api.storekit.apple.com"
        case .sandbox: "https://api.storekit-sandbox.apple.com"
        }
    }
}
