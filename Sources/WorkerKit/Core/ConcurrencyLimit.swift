/// How many calls may be in flight at once, found by how the upstream takes them.
///
/// Little's law says how many calls an upstream works on without letting any wait: those in flight, times the latency
/// without a queue, over the latency that they have. Once there are enough of them, more in flight do not change that
/// number, so the limit goes straight for it, and adds a queue of 40 %: no server of the upstream is ever idle, and
/// if it comes to have more of them, that shows. This is the gradient of Netflix's concurrency-limits, on the mean
/// latency as in its second version; its Vegas, on the least latency ever seen, is led astray by any lucky call
/// (Netflix/concurrency-limits, issue 37).
///
/// All of it stands on the latency without a queue, which changes too. brpc's limiter shows how to know it: now and
/// then the limit dips, for some windows, to below what needs no queue. A dip that finds less than was believed goes
/// deeper, so that a start in the middle of an overload mends itself. A limit that has been halved or doubled dips at
/// once, so that an upstream that has only become slower is not throttled to death.
///
/// An upstream that refuses calls instead of queueing them shows no latency. There the limit is TCP's: down by a
/// tenth when more than a tenth of the calls are refused, and then up by one with every window that goes well.
///
/// It never says more than a number. A limit that is only published, beside a fixed one that holds, follows the same
/// rules; it does not dip, and learns the latency without a queue when the load happens to be low.
package struct ConcurrencyLimit: Sendable {
    package struct Settings: Hashable, Sendable {
        package let minimum: Int
        package let maximum: Int
        package let initial: Int
        /// How long the latency without a queue is believed.
        package var remeasureAfter = Duration.seconds(30)

        /// More calls than any process has in flight.
        private static let most = 1_000_000

        /// - Parameters:
        ///   - minimum: At least 1.
        ///   - maximum: At least `minimum`, and a million at most.
        ///   - initial: Held between the two.
        package init(minimum: Int = 1, maximum: Int, initial: Int = 20) {
            self.minimum = min(max(1, minimum), Self.most)
            self.maximum = min(max(self.minimum, maximum), Self.most)
            self.initial = min(max(self.minimum, initial), self.maximum)
        }
    }

    /// What became of a call.
    package enum Outcome: Hashable, Sendable {
        /// The upstream has done its work, whatever it said. The latency of these counts, and of no others.
        case answered
        /// There were too many calls: a timeout, 429, or an error of the upstream's own (5xx).
        case overloaded
        /// It failed for a reason that says nothing about the load.
        case failed
    }

    /// The queue that is wanted, as a part of the calls that need none.
    private static let queue = 0.4
    /// Of the calls that need no queue, this part sees none, even if there are far fewer of them than is thought.
    private static let calm = 0.5
    /// Up to this part of the latency without a queue, there is none.
    private static let noQueue = 1.1
    /// The part of the way to a new estimate that is taken at once.
    private static let step = 0.3
    /// Less than this part of what is in flight is served while it starves.
    private static let starving = 1.0 / 3
    private static let overloadShare = 0.1
    private static let overloadFactor = 0.9
    /// So long after an overload, it grows by ones.
    private static let caution: Int64 = 30_000_000_000
    /// Between dips is so many times what the last one took, and a second at least.
    private static let dipSpacing: Int64 = 10
    private static let betweenDips: Int64 = 1_000_000_000

    private let settings: Settings
    private var limit: Double
    private var window = LatencyWindow()
    private var windowBefore = LatencyWindow()
    /// The largest limit that held in either.
    private var ceiling: Int
    /// Nil until a window has given a first guess.
    private var base: BaseLatency?
    private var dip: Dip?
    private var nextDip: Int64 = .min
    private var earliestDip: Int64 = .min
    /// The limit after the last dip. At half of it and at twice as much, another is due.
    private var reference: Double
    private var cautiousUntil: Int64 = .min

    private struct Dip {
        /// Two windows to get there, and some to measure.
        static let windows = 16
        var level: Int
        var start: Int64
        /// If the window is not over by then, hardly anything in flight is served.
        var deadline: Int64
        var windowsLeft = windows
    }

    package init(_ settings: Settings) {
        self.settings = settings
        self.limit = Double(settings.initial)
        self.reference = self.limit
        self.ceiling = settings.initial
    }

    /// Calls that may be in flight now.
    package func current(at now: Int64) -> Int {
        guard let dip = self.dip, now < dip.deadline else { return self.allowed }
        return dip.level
    }

    /// When a dip ends that no call comes back in; nil if there is none.
    package func dipEnd(at now: Int64) -> Int64? {
        guard let dip = self.dip, now < dip.deadline else { return nil }
        return dip.deadline
    }

    private var allowed: Int { Int(self.limit.rounded()) }

    /// What calls took lately, with or without a queue; nil if nothing is known yet.
    private var usual: Double? { self.base.map { max($0.nanoseconds, self.windowBefore.latency ?? 0) } }

    /// With so many in flight, no call waits for another, as far as is known.
    ///
    /// - Parameter latency: What calls take now.
    private func calmLevel(_ latency: Double, _ base: Double) -> Int {
        let expected = self.limit / (1 + Self.queue)
        let found = Double(self.windowBefore.peak) * base / latency
        // What is found counts only where there is a queue: else more might be in flight without one.
        let withoutQueue = latency > (1 + Self.queue) * base ? min(expected, found) : expected
        return max(self.settings.minimum, Int(Self.calm * withoutQueue))
    }

    /// A call has begun.
    ///
    /// - Parameter inFlight: Calls in flight, this one included.
    package mutating func started(inFlight: Int) { self.window.note(inFlight: inFlight) }

    /// A call is over.
    ///
    /// - Parameters:
    ///   - latency: Nanoseconds since it began.
    ///   - inFlight: Calls in flight, this one still included.
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
            // In the first window the calls that take longest are missing.
        } else if let latency = self.window.latency, self.windowBefore.ended > 0 {
            guard let base = self.base?.nanoseconds else { return self.base = BaseLatency(latency) }
            self.measure(latency, base, at: now)
            if self.dip == nil { self.follow(latency, base, at: now) }
            self.dipIfDue(latency, base, at: now)
        }
    }

    /// Goes where latency says that the limit should be: fast while there is no queue, else part of the way.
    private mutating func follow(_ latency: Double, _ base: Double, at now: Int64) {
        // The calls that end in this window were among those of the one before.
        let withoutQueue = Double(self.windowBefore.peak) * base / latency
        let wanted = withoutQueue + max(1, Self.queue * withoutQueue)
        if wanted > self.limit {
            // Only a limit that is reached is too low.
            guard self.window.peak >= self.allowed else { return }
            let step = (latency < Self.noQueue * base ? 1 : Self.step) * (wanted - self.limit)
            self.limit += now < self.cautiousUntil ? min(1, step) : step
        } else if latency > (1 + Self.queue) * base, self.base?.isGuess == false {
            self.limit -= Self.step * (self.limit - wanted)
        }
        self.limit = min(max(self.limit, Double(self.settings.minimum)), Double(self.settings.maximum))
    }
}

// How the latency without a queue is found.
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
            // What was believed had a queue in it, and so may this have.
            self.dip?.level = max(self.settings.minimum, level / 2)
        } else if change <= BaseLatency.surely.upperBound {
            return self.endDip(at: now)
        }
        self.dip?.windowsLeft = Dip.windows
    }

    private mutating func dipIfDue(_ latency: Double, _ base: Double, at now: Int64) {
        if let dip = self.dip {
            // Where most of what is in flight hangs, the others must not be kept out for long.
            let isStarving = self.window.meanInFlight(at: now) < Self.starving * Double(dip.level)
            guard dip.windowsLeft > 1, !isStarving else { return self.endDip(at: now) }
            self.dip?.windowsLeft -= 1
            self.dip?.deadline = Self.starvation(latency, at: now)
        } else {
            // Only a limit that is reached and obeyed makes a difference when it dips.
            guard self.window.peak >= self.allowed, self.window.peak <= self.ceiling else { return }
            let isDoubtful = self.limit <= self.reference / 2 || self.limit >= self.reference * 2
            let level = self.calmLevel(latency, base)
            guard isDoubtful || now >= self.nextDip, level < self.allowed else { return }
            self.dip = Dip(level: level, start: now, deadline: Self.starvation(latency, at: now))
            self.base?.begin()
        }
    }

    /// No window takes longer than this if the calls in flight are served at all.
    private static func starvation(_ latency: Double, at now: Int64) -> Int64 {
        now.addingClamped(max(500_000_000, Int64(20 * latency)))
    }

    /// The latency without a queue is known again, or cannot be known now.
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
