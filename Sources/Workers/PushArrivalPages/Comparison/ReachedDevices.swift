/// Devices that did something, such as opening a notification, of the devices that could.
struct ReachedDevices: Hashable, Sendable {
    /// The devices that did it; from 0 to `devices`.
    let reached: Int64
    /// All devices that could do it.
    let devices: Int64

    /// Creates the counts; nil if they make no share.
    init?(_ reached: Int64, of devices: Int64) {
        guard devices > 0, (0...devices).contains(reached) else { return nil }
        self.reached = reached
        self.devices = devices
    }

    /// The share of the devices that did it, from 0 to 1.
    var share: Double { Double(self.reached) / Double(self.devices) }
    /// The variance of the share, by the normal approximation.
    var variance: Double { self.share * (1 - self.share) / Double(self.devices) }
}
