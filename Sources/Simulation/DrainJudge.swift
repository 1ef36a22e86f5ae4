import WorkerKit

/// Tells when a worker has to have let go: of its partitions when the group asks for them, of the group when the worker
/// is stopped.
struct DrainJudge {
    private let drainLimit: Int64
    private let commitLimit: Int64
    private var asked: Int64?
    private var stopped: Int64?
    /// The process stood still until then, and could do nothing about anything.
    private var frozenUntil = Int64.min

    var hasBeenFrozen: Bool { self.frozenUntil != .min }

    init(_ settings: EngineSettings) {
        self.drainLimit = settings.drainLimit.wholeNanoseconds
        self.commitLimit = settings.commitLimit.wholeNanoseconds
    }

    mutating func partitionsAsked(at now: Int64) { self.asked = self.asked ?? now }
    mutating func stopAsked(at now: Int64) { self.stopped = self.stopped ?? now }
    mutating func frozen(until then: Int64) { self.frozenUntil = max(self.frozenUntil, then) }

    /// The partitions are given up.
    ///
    /// - Returns: how many nanoseconds too late, if they are.
    mutating func partitionsGivenUp(at now: Int64) -> Int64? {
        defer { self.asked = nil }
        guard let asked = self.asked else { return nil }
        return self.lateness(at: now, [asked, self.drainLimit, self.commitLimit])
    }

    /// The worker has ended.
    ///
    /// - Returns: how many nanoseconds too late, if it was stopped and is late.
    func ended(at now: Int64) -> Int64? {
        guard let stopped = self.stopped else { return nil }
        // The second time is for the goodbye.
        return self.lateness(at: now, [stopped, self.drainLimit, self.commitLimit, self.commitLimit])
    }

    /// Each step has its time, and begins when the one before is over and the process is awake.
    private func lateness(at now: Int64, _ steps: [Int64]) -> Int64? {
        let due = steps.reduce(0) { max($0.addingClamped($1), self.frozenUntil) }
        return now > due ? now - due : nil
    }
}
