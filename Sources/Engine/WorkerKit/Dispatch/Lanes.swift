/// The health of every lane that was in doubt lately. A lane of which nothing is remembered is open.
struct Lanes: Sendable {
    /// The name of the lane that stands for the whole upstream.
    static let upstream = ""
    private let settings: LaneHealth.Settings
    /// The lanes that are remembered, by their names: a lane enters with its first hold or suspect rejection,
    /// and leaves with a good answer when nothing is left to remember.
    private var doubted: [String: LaneHealth] = [:]
    private var goodAnswers = GoodAnswers()
    /// The lanes that an operator has paused.
    var paused: Set<String> = []

    init(_ settings: LaneHealth.Settings) { self.settings = settings }

    /// Whether no lane is remembered. In good times that is so, and no name has to be hashed to see it.
    var areAllWell: Bool { self.doubted.isEmpty && self.paused.isEmpty }

    /// Returns the monotonic time of the next probe of a held lane; nil if the lane is open or paused, or its
    /// probe is in flight.
    func nextProbe(of name: String) -> Int64? {
        self.paused.contains(name) ? nil : self.doubted[name]?.nextProbe
    }

    /// Ends the pause of every held lane, so that its next call is its probe.
    mutating func probeNow(at now: Int64) {
        for name in self.doubted.keys { self.doubted[name]?.probeNow(at: now) }
    }

    mutating func probeReleased(_ name: String, at now: Int64) { self.doubted[name]?.probeReleased(at: now) }

    mutating func probeDeclined(_ name: String, at now: Int64) { self.doubted[name]?.probeDeclined(at: now) }

    /// The names of the lanes that are not open, in alphabetical order.
    var heldNames: [String] {
        self.paused.union(self.doubted.filter { $0.value.state != .open }.keys).sorted()
    }

    func isOpen(_ name: String) -> Bool {
        self.areAllWell
            || !self.paused.contains(name) && self.doubted[name].map { $0.state == .open } ?? true
    }

    func admits(_ name: String, at now: Int64) -> Bool {
        self.areAllWell || !self.paused.contains(name) && self.doubted[name]?.admits(at: now) ?? true
    }

    mutating func callStarted(_ call: UInt64, on name: String) {
        if !self.doubted.isEmpty { self.doubted[name]?.callStarted(call) }
    }

    mutating func callEnded(_ call: UInt64, on name: String, at now: Int64) {
        if !self.doubted.isEmpty { self.doubted[name]?.callEnded(call, at: now) }
    }

    /// Notes an answer of a lane that says nothing against our configuration.
    ///
    /// - Returns: Whether this opened the lane again.
    mutating func answered(_ call: UInt64, on name: String, at now: Int64) -> Bool {
        guard !self.doubted.isEmpty, let isOpenAgain = self.doubted[name]?.answered(call) else {
            return false
        }
        if self.doubted[name]?.canBeForgotten(at: now) == true { self.doubted[name] = nil }
        return isOpenAgain
    }

    /// Notes that the upstream asked a lane to wait until a monotonic time.
    ///
    /// - Returns: Whether the lane was open before.
    mutating func gate(_ call: UInt64, until: Int64, on name: String) -> Bool {
        self.doubted[name, default: LaneHealth(self.settings)].gate(call, until: until)
    }

    /// Returns whether a lane waits because the upstream asked it to, and not because of a suspicion.
    func isGated(_ name: String) -> Bool { self.doubted[name]?.isGated ?? false }

    mutating func hold(_ call: UInt64, after previous: UInt64?, on name: String, at now: Int64)
        -> LaneHealth.Hold
    {
        self.doubted[name, default: LaneHealth(self.settings)].hold(call, after: previous, at: now)
    }

    /// Notes that a call was answered well, as evidence for a later suspicion. Unlike `answered`, this also
    /// concerns lanes that are not in doubt.
    mutating func noteGoodAnswer(_ call: UInt64, of name: String, at now: Int64) {
        self.goodAnswers.note(LaneHealth.GoodAnswer(call: call, at: now), of: name)
    }

    mutating func suspected(
        _ call: UInt64,
        ofKey key: Int,
        after previous: UInt64?,
        on name: String,
        at now: Int64
    ) -> LaneHealth.Hold? {
        let lastGood = self.goodAnswers.last(of: name)
        return self.doubted[name, default: LaneHealth(self.settings)]
            .suspected(call, ofKey: key, after: previous, lastGood: lastGood, at: now)
    }
}
