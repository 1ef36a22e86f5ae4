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

    package private(set) var state = State.open
    private let settings: Settings
    private var suspects = 0
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
        self.lastGoodCall = max(self.lastGoodCall, call)
        guard self.state == .probing(call: call) else { return false }
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
    /// - Returns: what became of the lane if the record is to be kept; nil if it is one more dead letter.
    package mutating func suspected(_ call: UInt64, at now: Int64) -> Hold? {
        self.suspects += 1
        switch self.state {
        case .open where self.suspects < self.settings.suspectRejections: return nil
        case .open:
            defer { self.begin(at: now) }
            return .begun(isNews: self.lastAsked == nil)
        case .held, .due, .probing: return self.hold(call, after: nil, at: now)
        }
    }

    private mutating func begin(at now: Int64) {
        self.holds += 1
        self.lastAsked = now
        let pause = self.settings.backoff.bound(afterFailures: self.holds)
        self.state = .held(until: now.addingClamped(pause.wholeNanoseconds))
    }

    /// A call has ended and nothing more will be said of it. If it was the probe and has said nothing about the
    /// lane, another is sent after the shortest pause.
    package mutating func callEnded(_ call: UInt64, at now: Int64) {
        guard self.state == .probing(call: call) else { return }
        self.state = .held(until: now.addingClamped(self.settings.firstPause.wholeNanoseconds))
    }
}
