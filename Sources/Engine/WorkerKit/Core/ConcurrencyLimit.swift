import ServiceKit

/// The number of calls that may be in flight at once, found from how the upstream takes them.
///
/// Little's law gives the number of calls that an upstream works on without letting any of them wait: the
/// calls in flight, times the latency without a queue, divided by the latency that the calls have now. Once
/// enough calls are in flight, more of them do not change that number. So the limit goes straight to it and
/// adds a queue of 40 %: no server of the upstream is ever idle, and if the upstream gets more servers, the
/// limit can see it. This is the gradient algorithm of Netflix's concurrency-limits, on the mean latency as
/// in its second version. Netflix's Vegas algorithm relies on the least latency ever seen, and one lucky call
/// leads it astray (Netflix/concurrency-limits, issue 37).
///
/// The whole calculation depends on the latency without a queue, which changes too. brpc's limiter shows how
/// to measure it: now and then the limit dips, for some windows, below the number of calls that need no
/// queue. A dip that finds a lower latency than the known one goes deeper, so that a start in the middle of
/// an overload corrects itself. A limit that has halved or doubled dips at once, so that an upstream that has
/// only become slower is not throttled further and further.
///
/// An upstream that refuses calls instead of queueing them shows no higher latency. Then the limit moves as
/// in TCP: down by a tenth when more than a tenth of the calls are refused, and afterwards up by one with
/// every window that goes well.
///
/// The limit only reports a number. It can be published while a fixed limit is the one that is enforced. Then
/// it follows the same rules, except that it does not dip: it learns the latency without a queue when the
/// load happens to be low.
package struct ConcurrencyLimit: Sendable {
    /// The bounds of the limit.
    package struct Settings: Hashable, Sendable {
        /// The limit never falls below this number of calls.
        package let minimum: Int
        /// The limit never rises above this number of calls.
        package let maximum: Int
        /// The limit before anything is measured.
        package let initial: Int
        /// How long the measured latency without a queue is used before it is measured again.
        package var remeasureAfter = Duration.seconds(30)

        /// A bound for all settings: no process has more calls in flight.
        private static let most = 1_000_000

        /// - Parameters:
        ///   - minimum: At least 1; a smaller value is raised to 1.
        ///   - maximum: At least `minimum`, and at most a million.
        ///   - initial: Held between the two.
        package init(minimum: Int = 1, maximum: Int, initial: Int = 20) {
            self.minimum = min(max(1, minimum), Self.most)
            self.maximum = min(max(self.minimum, maximum), Self.most)
            self.initial = min(max(self.minimum, initial), self.maximum)
        }
    }

    /// How a call ended, as far as it concerns the load.
    package enum Outcome: Hashable, Sendable {
        /// The upstream has done its work, whatever it said. Only the latencies of these calls count.
        case answered
        /// There were too many calls: a timeout, HTTP 429, or an error of the upstream's own (5xx).
        case overloaded
        /// The call failed for a reason that says nothing about the load.
        case failed
    }

    /// The length of the queue that the limit adds, as a share of the calls that need no queue.
    private static let queue = 0.4
    /// The share of the calls that need no queue to which a dip goes down. No call waits at that level, even
    /// if the upstream takes far fewer calls than estimated.
    private static let calm = 0.5
    /// Up to this multiple of the latency without a queue, a latency counts as one without a queue.
    private static let noQueue = 1.1
    /// The share of the way to a new estimate that the limit goes in one step.
    private static let step = 0.3
    /// A dip counts as starving if the calls that are answered make up less than this share of its level.
    private static let starving = 1.0 / 3
    /// The share of overloaded calls in a window above which the limit falls.
    private static let overloadShare = 0.1
    /// The factor by which the limit falls then.
    private static let overloadFactor = 0.9
    /// How long after an overload the limit grows by at most one with each window, in nanoseconds.
    private static let caution: Int64 = 30_000_000_000
    /// The least pause before the next regular dip: so many times the length of the last dip, and at least
    /// `betweenDips` nanoseconds. A limit that has halved or doubled does not wait for it.
    private static let dipSpacing: Int64 = 10
    private static let betweenDips: Int64 = 1_000_000_000

    private let settings: Settings
    private var limit: Double
    private var window = LatencyWindow()
    private var windowBefore = LatencyWindow()
    /// The largest limit that was in force during either window.
    private var ceiling: Int
    /// The latency without a queue; nil until a window has given a first guess.
    private var base: BaseLatency?
    private var dip: Dip?
    private var nextDip: Int64 = .min
    private var earliestDip: Int64 = .min
    /// The limit after the last dip. At half of it and at twice as much, the next dip is due.
    private var reference: Double
    private var cautiousUntil: Int64 = .min

    private struct Dip {
        /// The number of windows of a dip: two until the calls in flight have come down to its level, the
        /// others to measure.
        static let windows = 16
        var level: Int
        var start: Int64
        /// The monotonic time at which the dip ends if its window is not over by then: hardly any call in
        /// flight is answered.
        var deadline: Int64
        var windowsLeft = windows
    }

    /// Makes a limit that starts at `initial`.
    package init(_ settings: Settings) {
        self.settings = settings
        self.limit = Double(settings.initial)
        self.reference = self.limit
        self.ceiling = settings.initial
    }

    /// Returns the number of calls that may be in flight now.
    package func current(at now: Int64) -> Int {
        guard let dip = self.dip, now < dip.deadline else { return self.allowed }
        return dip.level
    }

    /// Returns the monotonic time at which the current dip ends if no call comes back; nil if there is no
    /// dip.
    package func dipEnd(at now: Int64) -> Int64? {
        guard let dip = self.dip, now < dip.deadline else { return nil }
        return dip.deadline
    }

    private var allowed: Int { Int(self.limit.rounded()) }

    /// The latency of the last calls in nanoseconds, with or without a queue; nil if nothing is known yet.
    private var usual: Double? { self.base.map { max($0.nanoseconds, self.windowBefore.latency ?? 0) } }

    /// Returns a number of calls in flight at which no call waits for another, as far as is known.
    ///
    /// - Parameters:
    ///   - latency: The mean latency of the calls now, in nanoseconds.
    ///   - base: The latency without a queue, in nanoseconds.
    private func calmLevel(_ latency: Double, _ base: Double) -> Int {
        let expected = self.limit / (1 + Self.queue)
        let found = Double(self.windowBefore.peak) * base / latency
        // The number found counts only where there is a queue. Without one, more calls might be in flight and
        // not wait.
        let withoutQueue = latency > (1 + Self.queue) * base ? min(expected, found) : expected
        return max(self.settings.minimum, Int(Self.calm * withoutQueue))
    }

    /// Notes that a call has begun.
    ///
    /// - Parameter inFlight: The calls in flight, this one included.
    package mutating func started(inFlight: Int) { self.window.note(inFlight: inFlight) }

    /// Notes that a call is over.
    ///
    /// - Parameters:
    ///   - latency: Nanoseconds since the call began.
    ///   - inFlight: The calls in flight, this one still included.
    package mutating func completed(latency: Int64, inFlight: Int, outcome: Outcome, at now: Int64) {
        if let dip = self.dip, now >= dip.deadline { self.endDip(at: now) }
        self.window.note(inFlight: inFlight)
        switch outcome {
        case .answered: self.window.noteAnswer(in: latency, usual: self.usual, at: now)
        case .overloaded: self.window.noteOverload(at: now)
        case .failed: return
        }
        let limit = self.dip?.level ?? self.allowed
        guard self.window.isOver(limit: limit, at: now) else { return }
        self.judge(at: now)
        self.windowBefore = self.window
        self.window = LatencyWindow(after: self.window, at: now)
        self.ceiling = max(limit, self.dip?.level ?? self.allowed)
    }

    private mutating func judge(at now: Int64) {
        if Double(self.window.overloads) > Self.overloadShare * Double(self.window.ended) {
            self.limit = max(Double(self.settings.minimum), self.limit * Self.overloadFactor)
            self.cautiousUntil = now.addingClamped(Self.caution)
            if self.dip != nil { self.endDip(at: now) }
            // The first window is not judged, because the calls that take longest are missing in it.
        } else if let latency = self.window.latency, self.windowBefore.ended > 0 {
            guard let base = self.base?.nanoseconds else { return self.base = BaseLatency(latency) }
            self.measure(latency, base, at: now)
            if self.dip == nil { self.follow(latency, base, at: now) }
            self.dipIfDue(latency, base, at: now)
        }
    }

    /// Moves the limit to the number that the latency calls for: the whole way up while there is no queue,
    /// otherwise a part of the way.
    private mutating func follow(_ latency: Double, _ base: Double, at now: Int64) {
        // The calls that end in this window were among the calls in flight in the window before.
        let withoutQueue = Double(self.windowBefore.peak) * base / latency
        let wanted = withoutQueue + max(1, Self.queue * withoutQueue)
        if wanted > self.limit {
            // A limit that the calls never reached is not too low.
            guard self.window.peak >= self.allowed else { return }
            let step = (latency < Self.noQueue * base ? 1 : Self.step) * (wanted - self.limit)
            self.limit += now < self.cautiousUntil ? min(1, step) : step
        } else if latency > (1 + Self.queue) * base, self.base?.isGuess == false {
            self.limit -= Self.step * (self.limit - wanted)
        }
        self.limit = min(max(self.limit, Double(self.settings.minimum)), Double(self.settings.maximum))
    }
}

// How the latency without a queue is measured.
extension ConcurrencyLimit {
    /// Learns from a window in which no call can have waited for another.
    private mutating func measure(_ latency: Double, _ base: Double, at now: Int64) {
        let level = self.dip?.level ?? self.calmLevel(latency, base)
        guard max(self.window.peak, self.windowBefore.peak) <= level else { return }
        let wasGuess = self.base?.isGuess == true
        guard let change = self.base?.measured(latency, of: self.window.answers) else { return }
        self.measured(change, wasGuess: wasGuess, at: now)
    }

    private mutating func measured(_ change: Double, wasGuess: Bool, at now: Int64) {
        guard let level = self.dip?.level else { return self.endDip(at: now) }
        if wasGuess || change < BaseLatency.surely.lowerBound, level > self.settings.minimum {
            // The latency that was known included time in a queue, and so may this one: the dip goes deeper.
            self.dip?.level = max(self.settings.minimum, level / 2)
        } else if change <= BaseLatency.surely.upperBound {
            return self.endDip(at: now)
        }
        self.dip?.windowsLeft = Dip.windows
    }

    private mutating func dipIfDue(_ latency: Double, _ base: Double, at now: Int64) {
        if let dip = self.dip {
            // If most of the calls in flight hang, the dip must not keep other calls out for long.
            let isStarving = self.window.meanInFlight(at: now) < Self.starving * Double(dip.level)
            guard dip.windowsLeft > 1, !isStarving else { return self.endDip(at: now) }
            self.dip?.windowsLeft -= 1
            self.dip?.deadline = Self.starvation(latency, at: now)
        } else {
            // A dip changes something only if the limit is reached and obeyed.
            guard self.window.peak >= self.allowed, self.window.peak <= self.ceiling else { return }
            let isDoubtful = self.limit <= self.reference / 2 || self.limit >= self.reference * 2
            let level = self.calmLevel(latency, base)
            guard isDoubtful || now >= self.nextDip, level < self.allowed else { return }
            self.dip = Dip(level: level, start: now, deadline: Self.starvation(latency, at: now))
            self.base?.begin()
        }
    }

    /// Returns the monotonic time by which a window is over if the calls in flight are answered at all: in 20
    /// times the latency, and in half a second at least.
    private static func starvation(_ latency: Double, at now: Int64) -> Int64 {
        now.addingClamped(max(500_000_000, Int64(20 * latency)))
    }

    /// Ends the current dip, if there is one, and schedules the next. The latency without a queue is known
    /// again, or it cannot be measured now.
    private mutating func endDip(at now: Int64) {
        if let dip = self.dip {
            self.earliestDip = now.addingClamped(max(Self.betweenDips, (now - dip.start) * Self.dipSpacing))
            self.dip = nil
        }
        self.reference = self.limit
        let due = now.addingClamped(self.settings.remeasureAfter.wholeNanoseconds)
        self.nextDip = max(self.earliestDip, due)
    }
}
