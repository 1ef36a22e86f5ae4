/// Which of Apple's two hosts a token belongs to. They hold separate bits.
package enum DeviceCheckEnvironment: String, Hashable, Sendable, CaseIterable {
    /// The App Store and TestFlight.
    case production
    /// Builds from Xcode.
    case development
}
