/// The health of every lane that was ever in doubt. A lane that nothing is known of is open.
struct Lanes: Sendable {
    /// The lane that stands for the whole upstream. No lane of a handler's can have this name.
    static let upstream = ""
    private var doubted: [String: LaneHealth] = [:]

    /// When the first held lane may be probed; nil if none is held.
    var nextProbe: Int64? {
        self.doubted.values.compactMap(\.nextProbe).min()
    }

    func nextProbe(of name: String) -> Int64? { self.doubted[name]?.nextProbe }

    mutating func probeReleased(_ name: String, at now: Int64) { self.doubted[name]?.probeReleased(at: now) }

    var heldNames: [String] { self.doubted.filter { $0.value.state != .open }.keys.sorted() }

    func isOpen(_ name: String) -> Bool { self.doubted[name].map { $0.state == .open } ?? true }

    /// Whether a call may be made on this lane, whose probe it may then be.
    mutating func admits(_ name: String, at now: Int64) -> Bool { self.doubted[name]?.admits(at: now) ?? true }

    mutating func answered(_ name: String) { self.doubted[name] = nil }

    mutating func hold(_ name: String, at now: Int64, _ settings: LaneHealth.Settings) {
        self.doubted[name, default: LaneHealth(settings)].hold(at: now)
    }

    mutating func suspected(_ name: String, at now: Int64, _ settings: LaneHealth.Settings) -> Bool {
        self.doubted[name, default: LaneHealth(settings)].suspected(at: now)
    }

    mutating func probeAbandoned(_ name: String, at now: Int64) { self.doubted[name]?.probeAbandoned(at: now) }
}
