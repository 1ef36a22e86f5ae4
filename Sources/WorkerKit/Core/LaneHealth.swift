/// Whether one lane of the upstream (one account, one app) can be called, or is held because our configuration
/// for it looks broken.
///
/// A held lane keeps its records: none is settled, none dead-lettered. Now and then one of them is sent as a
/// probe, and an answer opens the lane again.
package struct LaneHealth: Sendable {
    package struct Settings: Hashable, Sendable {
        /// Rejections in a row that suggest a configuration fault, after which the lane is held.
        package var suspectRejections = 3
        package var firstPause = Duration.seconds(5)
        package var longestPause = Duration.seconds(300)

        package init() {}
    }

    package enum State: Hashable, Sendable {
        case open
        /// No call before this monotonic time.
        case held(until: Int64)
        /// The pause is over: the next call is the probe. If none has come by then, another record is let go.
        case due(again: Int64)
        case probing
    }

    package private(set) var state = State.open
    private let settings: Settings
    private var suspects = 0
    private var holds = 0

    package init(_ settings: Settings) { self.settings = settings }

    /// Whether a call may be made now. For a held lane whose pause is over, it would be the probe.
    package func admits(at now: Int64) -> Bool {
        switch self.state {
        case .open, .due: true
        case .probing: false
        case .held(let until): now >= until
        }
    }

    /// A call that was admitted is on its way.
    ///
    /// - Returns: whether it is the lane's probe, so that its end has to be told, whatever it is.
    package mutating func callStarted() -> Bool {
        guard self.state != .open, self.state != .probing else { return false }
        self.state = .probing
        return true
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
    package mutating func answered() {
        self.suspects = 0
        self.holds = 0
        self.state = .open
    }

    /// The handler asked for a hold.
    package mutating func hold(at now: Int64) {
        switch self.state {
        // A call that was out already when the lane was held says nothing new, and must not lengthen the pause.
        case .held, .due: return
        case .open, .probing: break
        }
        let backoff = Backoff(base: self.settings.firstPause, longest: self.settings.longestPause)
        self.holds += 1
        self.state = .held(
            until: now.addingClamped(backoff.bound(afterFailures: self.holds).wholeNanoseconds)
        )
    }

    /// The lane gave an answer that a broken configuration would explain.
    ///
    /// - Returns: whether the record is to be kept and the lane is now held, instead of one more dead letter.
    package mutating func suspected(at now: Int64) -> Bool {
        self.suspects += 1
        guard self.suspects >= self.settings.suspectRejections || self.state != .open else { return false }
        self.hold(at: now)
        return true
    }

    /// The probe ended without saying anything about the lane: another is sent after the shortest pause.
    package mutating func probeSaidNothing(at now: Int64) {
        guard self.state == .probing else { return }
        self.state = .held(until: now.addingClamped(self.settings.firstPause.wholeNanoseconds))
    }
}
