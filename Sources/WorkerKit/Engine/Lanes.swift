/// The health of every lane that was ever in doubt. A lane that nothing is known of is open.
struct Lanes: Sendable {
    /// The lane that stands for the whole upstream.
    static let upstream = ""
    private var doubted: [String: LaneHealth] = [:]

    /// Whether no lane is in doubt.
    var areAllWell: Bool { self.doubted.isEmpty }

    func nextProbe(of name: String) -> Int64? { self.doubted[name]?.nextProbe }

    mutating func probeReleased(_ name: String, at now: Int64) { self.doubted[name]?.probeReleased(at: now) }

    mutating func probeDeclined(_ name: String, at now: Int64) { self.doubted[name]?.probeDeclined(at: now) }

    var heldNames: [String] { self.doubted.filter { $0.value.state != .open }.keys.sorted() }

    func isOpen(_ name: String) -> Bool {
        // In good times nothing is in doubt, and no name has to be hashed to see that.
        self.doubted.isEmpty || self.doubted[name].map { $0.state == .open } ?? true
    }

    func admits(_ name: String, at now: Int64) -> Bool {
        self.doubted.isEmpty || self.doubted[name]?.admits(at: now) ?? true
    }

    /// A call that was admitted is on its way.
    ///
    /// - Returns: whether it is the lane's probe.
    mutating func callStarted(_ name: String) -> Bool {
        !self.doubted.isEmpty && self.doubted[name]?.callStarted() ?? false
    }

    mutating func answered(_ name: String) {
        if !self.doubted.isEmpty { self.doubted[name] = nil }
    }

    mutating func hold(_ name: String, at now: Int64, _ settings: LaneHealth.Settings) {
        self.doubted[name, default: LaneHealth(settings)].hold(at: now)
    }

    mutating func suspected(_ name: String, at now: Int64, _ settings: LaneHealth.Settings) -> Bool {
        self.doubted[name, default: LaneHealth(settings)].suspected(at: now)
    }

    mutating func probeSaidNothing(_ name: String, at now: Int64) {
        self.doubted[name]?.probeSaidNothing(at: now)
    }
}
