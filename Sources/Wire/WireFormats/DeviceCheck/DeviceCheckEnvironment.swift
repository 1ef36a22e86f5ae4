/// The one of Apple's two hosts that a token belongs to. The hosts hold separate bits.
package enum DeviceCheckEnvironment: String, Hashable, Sendable, CaseIterable {
    /// Apps from the App Store and TestFlight.
    case production
    /// Builds from Xcode.
    case development
}
