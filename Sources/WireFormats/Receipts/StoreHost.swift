/// Which of Apple's two hosts is asked. Neither knows the purchases of the other.
package enum StoreHost: String, Hashable, Sendable, CaseIterable {
    case production
    /// Builds from Xcode, TestFlight and App Review.
    case sandbox

    package var other: StoreHost { self == .production ? .sandbox : .production }

    package var environment: StoreEnvironment { self == .production ? .production : .sandbox }
}

extension StoreHost {
    package var appStoreURL: String {
        switch self {
        case .production: "https://api.storekit.apple.com"
        case .sandbox: "https://api.storekit-sandbox.apple.com"
        }
    }
}
