/// The health of every lane that was in doubt of late. A lane that nothing is known of is open.
struct Lanes: Sendable {
    /// The lane that stands for the whole upstream.
    static let upstream = ""
    private let settings: LaneHealth.Settings
    private var doubted: [String: LaneHealth] = [:]
    private var goodAnswers = GoodAnswers()

    init(_ settings: LaneHealth.Settings) { self.settings = settings }

    /// Whether no lane is in doubt. In good times that is so, and no name has to be hashed to see it.
    var areAllWell: Bool { self.doubted.isEmpty }

    func nextProbe(of name: String) -> Int64? { self.doubted[name]?.nextProbe }

    mutating func probeReleased(_ name: String, at now: Int64) { self.doubted[name]?.probeReleased(at: now) }

    mutating func probeDeclined(_ name: String, at now: Int64) { self.doubted[name]?.probeDeclined(at: now) }

    var heldNames: [String] { self.doubted.filter { $0.value.state != .open }.keys.sorted() }

    func isOpen(_ name: String) -> Bool {
        self.doubted.isEmpty || self.doubted[name].map { $0.state == .open } ?? true
    }

    func admits(_ name: String, at now: Int64) -> Bool {
        self.doubted.isEmpty || self.doubted[name]?.admits(at: now) ?? true
    }

    mutating func callStarted(_ call: UInt64, on name: String) {
        if !self.doubted.isEmpty { self.doubted[name]?.callStarted(call) }
    }

    mutating func callEnded(_ call: UInt64, on name: String, at now: Int64) {
        if !self.doubted.isEmpty { self.doubted[name]?.callEnded(call, at: now) }
    }

    /// - Returns: whether this opened the lane again.
    mutating func answered(_ call: UInt64, on name: String, at now: Int64) -> Bool {
        guard !self.doubted.isEmpty, let isOpenAgain = self.doubted[name]?.answered(call) else {
            return false
        }
        if self.doubted[name]?.canBeForgotten(at: now) == true { self.doubted[name] = nil }
        return isOpenAgain
    }

    mutating func hold(_ call: UInt64, after previous: UInt64?, on name: String, at now: Int64)
        -> LaneHealth.Hold
    {
        self.doubted[name, default: LaneHealth(self.settings)].hold(call, after: previous, at: now)
    }

    /// A call was answered well.
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
