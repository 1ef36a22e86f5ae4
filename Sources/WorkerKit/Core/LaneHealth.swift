/// Whether one lane of the upstream (one account, one app) can be called, or is held because our configuration
/// for it looks broken.
///
/// A held lane keeps its records: none is settled, none dead-lettered. Now and then one of them is sent as a
/// probe, and only an answer to that opens the lane again: calls that were out already when the lane was held
/// tell of a time that is over.
///
/// A lane can be well and one of its records not. So a lane that has been held and was opened again is remembered
/// for a while, and a record whose call asks for a hold then has to be believed: not if the lane has answered
/// others well since this record asked before, and not until as many in a row ask as it takes rejections. A
/// record that is not believed waits by itself, and the lane stays open for the others.
///
/// Rejections can be one client's doing too. So they hold a lane only if they are of different keys and the lane has
/// answered nobody well for a while, and a lane that was suspected in vain is trusted for twice as long the next time. A
/// record whose rejection is in doubt waits by itself, until another of its lane shows whose fault it is.
package struct LaneHealth: Sendable {
    package struct Settings: Hashable, Sendable {
        /// Rejections in a row that suggest a configuration fault, after which the lane is held.
        package var suspectRejections = 3
        package var firstPause = Duration.seconds(5)
        package var longestPause = Duration.seconds(300)

        package init() {}

        /// How long a held lane waits for its next probe, and a record that asked for the hold for its next call.
        package var backoff: Backoff { Backoff(base: self.firstPause, longest: self.longestPause) }
    }

    package enum State: Hashable, Sendable {
        case open
        /// No call before this monotonic time.
        case held(until: Int64)
        /// The pause is over: the next call is the probe. If none has come by then, another record is let go.
        case due(again: Int64)
        case probing(call: UInt64)
    }

    /// What asking for a hold has led to.
    package enum Hold: Hashable, Sendable {
        /// The lane is held from now on. It is news, unless the lane was held a while ago for the same reason.
        case begun(isNews: Bool)
        /// It was held already.
        case goesOn
        /// The lane is well: only this record has to wait.
        case recordOnly
    }

    /// A call that was answered well.
    package struct GoodAnswer: Hashable, Sendable {
        package var call: UInt64
        package var at: Int64

        package init(call: UInt64, at: Int64) {
            self.call = call
            self.at = at
        }

        /// Another call has been answered since. Calls do not end in the order in which they began.
        package mutating func follow(with next: GoodAnswer) {
            self.call = max(self.call, next.call)
            self.at = next.at
        }
    }

    /// A lane that has answered somebody well within this time is not held because of rejections.
    package static let freshness = Duration.seconds(10)

    package private(set) var state = State.open
    private let settings: Settings
    private var suspects = 0
    /// The keys of as many of these as it takes to hold the lane.
    private var suspectKeys: Set<Int> = []
    /// The lane is held because of rejections, and nobody has asked for it.
    private var isOnlySuspected = false
    /// How often it was held because of rejections although it was well.
    private var refutations = 0
    /// Holds in a row: the first, and one for every probe in vain.
    private var holds = 0
    /// The last call that was answered well.
    private var lastGoodCall: UInt64 = 0
    /// When a call last asked for a hold; nil if none has.
    private var lastAsked: Int64?

    package init(_ settings: Settings) { self.settings = settings }

    /// Whether there is nothing to remember.
    package func canBeForgotten(at now: Int64) -> Bool {
        guard self.state == .open, self.suspects == 0 else { return false }
        guard let lastAsked else { return true }
        // A record that waits by itself asks again sooner than that.
        let memory = self.settings.longestPause.wholeNanoseconds.multipliedReportingOverflow(by: 4)
        return !memory.overflow && now > lastAsked.addingClamped(memory.partialValue)
    }

    /// Whether a call may be made now. For a held lane whose pause is over, it would be the probe.
    package func admits(at now: Int64) -> Bool {
        switch self.state {
        case .open, .due: true
        case .probing: false
        case .held(let until): now >= until
        }
    }

    /// A call that was admitted is on its way; if the lane is held, it is the probe.
    package mutating func callStarted(_ call: UInt64) {
        switch self.state {
        case .open, .probing: break
        case .held, .due: self.state = .probing(call: call)
        }
    }

    /// When a record that waits for this lane should be let go to be its probe; nil if none should.
    package var nextProbe: Int64? {
        switch self.state {
        case .open, .probing: nil
        case .held(let until): until
        case .due(let again): again
        }
    }

    /// A waiting record has been let go.
    package mutating func probeReleased(at now: Int64) {
        if self.nextProbe != nil { self.state = .due(again: now.addingClamped(1_000_000_000)) }
    }

    /// The record that was let go cannot be the probe: another may be let go at once.
    package mutating func probeDeclined(at now: Int64) {
        if case .due = self.state { self.state = .due(again: now) }
    }

    /// The lane gave an answer that says nothing against our configuration.
    ///
    /// - Returns: whether this opened the lane again.
    package mutating func answered(_ call: UInt64) -> Bool {
        self.suspects = 0
        self.suspectKeys = []
        self.lastGoodCall = max(self.lastGoodCall, call)
        guard self.state == .probing(call: call) else { return false }
        if self.isOnlySuspected { self.refutations += 1 }
        self.isOnlySuspected = false
        self.holds = 0
        self.state = .open
        return true
    }

    /// The handler asked for a hold.
    ///
    /// - Parameter previous: the call of the same record that asked for a hold before, if one did.
    package mutating func hold(_ call: UInt64, after previous: UInt64?, at now: Int64) -> Hold {
        switch self.state {
        case .probing(call):
            self.isOnlySuspected = false
            self.begin(at: now)
            return .goesOn
        // A call that was out already when the lane was held says nothing new, and must not lengthen the pause.
        case .held, .due, .probing: return .goesOn
        case .open: break
        }
        guard self.lastAsked != nil else {
            self.begin(at: now)
            return .begun(isNews: true)
        }
        self.lastAsked = now
        if let previous, self.lastGoodCall > previous { return .recordOnly }
        self.suspects += 1
        guard self.suspects >= self.settings.suspectRejections else { return .recordOnly }
        self.begin(at: now)
        return .begun(isNews: false)
    }

    /// The lane gave an answer that a broken configuration would explain.
    ///
    /// - Parameters:
    ///   - key: tells the records of one key, which may be one client's, from those of others.
    ///   - previous: the call of the same record that was suspected before and kept, if one was.
    ///   - lastGood: the last call of this lane that was answered well, if one was lately.
    /// - Returns: what became of the lane if the record is to be kept; nil if it is one more dead letter.
    package mutating func suspected(
        _ call: UInt64,
        ofKey key: Int,
        after previous: UInt64?,
        lastGood: GoodAnswer?,
        at now: Int64
    ) -> Hold? {
        switch self.state {
        case .probing(call):
            self.begin(at: now)
            return .goesOn
        case .held, .due, .probing: return .goesOn
        case .open: break
        }
        // The lane has answered others since: the fault is the record's.
        if let previous, let lastGood, lastGood.call > previous { return nil }
        self.suspects += 1
        if self.suspectKeys.count < self.settings.suspectRejections { self.suspectKeys.insert(key) }
        guard self.suspects >= self.settings.suspectRejections else { return nil }
        guard self.suspectKeys.count >= self.settings.suspectRejections, !self.isTrusted(lastGood, at: now)
        else { return .recordOnly }
        defer {
            self.isOnlySuspected = true
            self.begin(at: now)
        }
        return .begun(isNews: self.lastAsked == nil)
    }

    private func isTrusted(_ lastGood: GoodAnswer?, at now: Int64) -> Bool {
        guard let lastGood else { return false }
        let trust = Backoff(base: Self.freshness, longest: self.settings.longestPause)
            .bound(afterFailures: 1 + self.refutations)
        return now.subtractingClamped(lastGood.at) < trust.wholeNanoseconds
    }

    private mutating func begin(at now: Int64) {
        self.holds += 1
        self.lastAsked = now
        // Who comes next may be the first honest one: a lane that is only suspected is asked at a steady pace.
        let pause = self.settings.backoff.bound(afterFailures: self.isOnlySuspected ? 1 : self.holds)
        self.state = .held(until: now.addingClamped(pause.wholeNanoseconds))
    }

    /// A call has ended and nothing more will be said of it. If it was the probe and has said nothing about the
    /// lane, another is sent after the shortest pause.
    package mutating func callEnded(_ call: UInt64, at now: Int64) {
        guard self.state == .probing(call: call) else { return }
        self.state = .held(until: now.addingClamped(self.settings.firstPause.wholeNanoseconds))
    }
}
