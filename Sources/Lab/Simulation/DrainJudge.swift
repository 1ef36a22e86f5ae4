import ServiceKit
import WorkerKit

/// Checks that a worker gives up its partitions in time when the group asks for them, and ends in time when
/// it is stopped.
struct DrainJudge {
    private let drainLimit: Int64
    private let commitLimit: Int64
    private var asked: Int64?
    private var stopped: Int64?
    /// The time until which the process was frozen, in monotonic nanoseconds. It could not act before.
    private var frozenUntil = Int64.min

    var hasBeenFrozen: Bool { self.frozenUntil != .min }

    init(_ settings: EngineSettings) {
        self.drainLimit = settings.drainLimit.wholeNanoseconds
        self.commitLimit = settings.commitLimit.wholeNanoseconds
    }

    mutating func partitionsAsked(at now: Int64) { self.asked = self.asked ?? now }
    mutating func stopAsked(at now: Int64) { self.stopped = self.stopped ?? now }
    mutating func frozen(until then: Int64) { self.frozenUntil = max(self.frozenUntil, then) }

    /// Notes that the partitions were given up.
    ///
    /// - Returns: by how many nanoseconds they were late; nil if they were in time, or not asked for.
    mutating func partitionsGivenUp(at now: Int64) -> Int64? {
        defer { self.asked = nil }
        guard let asked = self.asked else { return nil }
        return self.lateness(at: now, [asked, self.drainLimit, self.commitLimit])
    }

    /// Notes that the worker has ended.
    ///
    /// - Returns: by how many nanoseconds it was late; nil if it was in time, or not stopped.
    func ended(at now: Int64) -> Int64? {
        guard let stopped = self.stopped else { return nil }
        // The second commit limit is the time for leaving the group.
        return self.lateness(at: now, [stopped, self.drainLimit, self.commitLimit, self.commitLimit])
    }

    /// Returns by how much `now` is later than the end of all steps. Each step begins when the step before
    /// has ended and the process is not frozen.
    private func lateness(at now: Int64, _ steps: [Int64]) -> Int64? {
        let due = steps.reduce(0) { max($0.addingClamped($1), self.frozenUntil) }
        return now > due ? now - due : nil
    }
}
