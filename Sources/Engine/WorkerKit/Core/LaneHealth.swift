package import ServiceKit

/// The state of one lane of the upstream (one account, one app): open, or held because our configuration for
/// it looks broken.
///
/// The records of a held lane are kept: none is settled, none is dead-lettered. Now and then one of them is
/// sent as a probe, and only an answer to the probe opens the lane again. Calls that were out already when
/// the lane was held tell about the time before, so they do not count.
///
/// A lane can be well while one of its records is not. So a lane that was held and opened again is remembered
/// for a while. As long as it is remembered, a record that asks for a hold needs evidence: its request does
/// not count if the lane has answered other records well since this record asked before, and the lane is held
/// only when as many requests in a row count as it takes rejections (`suspectRejections`). A record whose
/// request does not suffice waits by itself, and the lane stays open for the others.
///
/// Rejections can be the fault of a single client too. So they hold a lane only if they are of different keys
/// and the lane has answered no call well for a while. A lane that was suspected without cause is trusted for
/// twice as long the next time. A record whose rejection is in doubt waits by itself until another record of
/// its lane shows whose fault it is.
///
/// All times are monotonic nanoseconds.
package struct LaneHealth: Sendable {
    /// When a lane is held because of rejections, and how long it waits for its probes.
    package struct Settings: Hashable, Sendable {
        /// The number of rejections in a row that suggest a configuration fault, after which the lane is
        /// held.
        package var suspectRejections = 3
        /// The pause of a held lane before its first probe.
        package var firstPause = Duration.seconds(5)
        /// The longest pause between two probes.
        package var longestPause = Duration.seconds(300)

        /// Makes the default settings.
        package init() {}

        /// The wait of a held lane for its next probe, and of a record that asked for the hold for its next
        /// call.
        package var backoff: Backoff { Backoff(base: self.firstPause, longest: self.longestPause) }
    }

    /// The states of a lane.
    package enum State: Hashable, Sendable {
        case open
        /// No call may be made before this monotonic time.
        case held(until: Int64)
        /// The pause is over, and the next call is the probe. If no call was made by then, another record is
        /// released.
        case due(again: Int64)
        case probing(call: UInt64)
    }

    /// The effect that a request for a hold, or a suspect rejection, has had.
    package enum Hold: Hashable, Sendable {
        /// The lane is held from now on. It is news, unless the lane was held before and is still remembered.
        case begun(isNews: Bool)
        /// The lane was held already.
        case goesOn
        /// The lane is well: only this record has to wait.
        case recordOnly
    }

    /// A call whose answer says nothing against our configuration.
    package struct GoodAnswer: Hashable, Sendable {
        /// The number of the call.
        package var call: UInt64
        /// The monotonic time of the answer.
        package var at: Int64

        package init(call: UInt64, at: Int64) {
            self.call = call
            self.at = at
        }

        /// Adds a later good answer. Calls do not end in the order in which they began, so the larger number
        /// is kept.
        package mutating func follow(with next: GoodAnswer) {
            self.call = max(self.call, next.call)
            self.at = next.at
        }
    }

    /// How long after a good answer a lane is not held because of rejections. The time doubles with each
    /// wrong suspicion.
    package static let freshness = Duration.seconds(10)

    /// The current state.
    package private(set) var state = State.open
    private let settings: Settings
    /// The number of rejections, or of requests for a hold that count, since the last good answer.
    private var suspects = 0
    /// The keys of the records behind `suspects`, no more of them than it takes to hold the lane.
    private var suspectKeys: Set<Int> = []
    /// Whether the lane is held because of rejections alone, and no handler has asked for a hold.
    private var isOnlySuspected = false
    /// Whether the lane only waits because the upstream asked it to.
    package private(set) var isGated = false
    /// How often the lane was held because of rejections although it was well.
    private var refutations = 0
    /// The number of holds in a row: the first, and one more for every probe in vain.
    private var holds = 0
    /// The number of the last call that was answered well.
    private var lastGoodCall: UInt64 = 0
    /// The monotonic time at which a call last asked for a hold, or the lane was last held; nil if never.
    private var lastAsked: Int64?

    /// Makes an open lane of which nothing is known.
    package init(_ settings: Settings) { self.settings = settings }

    /// Returns whether there is nothing to remember about the lane.
    package func canBeForgotten(at now: Int64) -> Bool {
        guard self.state == .open, self.suspects == 0 else { return false }
        guard let lastAsked else { return true }
        // A record that waits by itself asks again sooner than that.
        let memory = self.settings.longestPause.wholeNanoseconds.multipliedReportingOverflow(by: 4)
        return !memory.overflow && now > lastAsked.addingClamped(memory.partialValue)
    }

    /// Returns whether a call may be made now. For a held lane whose pause is over, that call is the probe.
    package func admits(at now: Int64) -> Bool {
        switch self.state {
        case .open, .due: true
        case .probing: false
        case .held(let until): now >= until
        }
    }

    /// Ends the pause of a held lane, so that the next call is its probe.
    package mutating func probeNow(at now: Int64) {
        if case .held(let until) = self.state { self.state = .held(until: min(until, now)) }
    }

    /// Notes that an admitted call is on its way. If the lane is held, the call is the probe.
    package mutating func callStarted(_ call: UInt64) {
        switch self.state {
        case .open, .probing: break
        case .held, .due: self.state = .probing(call: call)
        }
    }

    /// The monotonic time at which a record that waits for this lane should be released to be its probe; nil
    /// if none should.
    package var nextProbe: Int64? {
        switch self.state {
        case .open, .probing: nil
        case .held(let until): until
        case .due(let again): again
        }
    }

    /// Notes that a waiting record was released. If it makes no call within a second, another one may be
    /// released.
    package mutating func probeReleased(at now: Int64) {
        if self.nextProbe != nil { self.state = .due(again: now.addingClamped(1_000_000_000)) }
    }

    /// Notes that the released record cannot be the probe. Another one may be released at once.
    package mutating func probeDeclined(at now: Int64) {
        if case .due = self.state { self.state = .due(again: now) }
    }

    /// Notes an answer that says nothing against our configuration.
    ///
    /// - Returns: Whether this opened the lane again.
    package mutating func answered(_ call: UInt64) -> Bool {
        self.suspects = 0
        self.suspectKeys = []
        self.lastGoodCall = max(self.lastGoodCall, call)
        guard self.state == .probing(call: call) else { return false }
        if self.isOnlySuspected { self.refutations += 1 }
        self.isOnlySuspected = false
        self.isGated = false
        self.holds = 0
        self.state = .open
        return true
    }

    /// Notes that the handler asked for a hold.
    ///
    /// - Parameter previous: The call with which the same record asked for a hold before, if there is one.
    package mutating func hold(_ call: UInt64, after previous: UInt64?, at now: Int64) -> Hold {
        switch self.state {
        case .probing(call):
            self.isOnlySuspected = false
            self.begin(at: now)
            return .goesOn
        // A call that was out already when the lane was held says nothing new, and must not lengthen the
        // pause.
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

    /// Notes a rejection that a broken configuration would explain.
    ///
    /// - Parameters:
    ///   - key: Tells the records of one key, which may all be of one client, from the records of other keys.
    ///   - previous: The call of the same record that was suspected before and kept, if there is one.
    ///   - lastGood: The last good answer of this lane, if one is remembered.
    /// - Returns: The effect on the lane if the record is to be kept; nil if the record is to become a dead
    ///   letter.
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
        // The lane has answered others well since, so the fault is the record's.
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

    /// Notes that the upstream asked this lane to wait. That says nothing against our configuration.
    ///
    /// - Parameter until: A monotonic time.
    /// - Returns: Whether the lane was open before.
    package mutating func gate(_ call: UInt64, until: Int64) -> Bool {
        switch self.state {
        case .open:
            self.state = .held(until: until)
            self.isGated = true
            return true
        case .held(let earlier): self.state = .held(until: max(earlier, until))
        case .probing(call): self.state = .held(until: until)
        // A call that was out before says nothing new.
        case .due, .probing: break
        }
        return false
    }

    private mutating func begin(at now: Int64) {
        self.holds += 1
        self.isGated = false
        self.lastAsked = now
        // The next record may be the first one without a fault, so a lane that is only suspected is probed at
        // a steady pace.
        let pause = self.settings.backoff.bound(afterFailures: self.isOnlySuspected ? 1 : self.holds)
        self.state = .held(until: now.addingClamped(pause.wholeNanoseconds))
    }

    /// Notes that a call has ended and that nothing more will be reported of it. If it was the probe and has
    /// said nothing about the lane, another probe is sent after the shortest pause.
    package mutating func callEnded(_ call: UInt64, at now: Int64) {
        guard self.state == .probing(call: call) else { return }
        self.state = .held(until: now.addingClamped(self.settings.firstPause.wholeNanoseconds))
    }
}
