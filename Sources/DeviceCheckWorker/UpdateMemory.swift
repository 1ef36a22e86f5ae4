import Synchronization
import WireFormats

/// When the last change of each bit of each subject was decided upon, of those that were done: an older one that comes
/// later must not undo it, and does what it asks for the other bit all the same.
///
/// Bounded twice, by age and by number, and empty after a start: what came before is then forgotten, and an old update
/// that is published late is done. Two generations do for both bounds: the younger becomes the older when it is full or
/// old, and the older is dropped.
package final class UpdateMemory: Sendable {
    package struct Limits: Hashable, Sendable {
        /// Subjects that are remembered at most; half as many at least, if there were so many.
        package var subjects: Int
        /// How long a subject is remembered at least, and no more than twice as long.
        package var age: Duration

        package init(subjects: Int = 200_000, age: Duration = .seconds(24 * 3_600)) {
            self.subjects = subjects
            self.age = age
        }
    }

    /// Whom bits are about. The two environments hold separate ones.
    struct Subject: Hashable, Sendable {
        var team: String
        var environment: DeviceCheckEnvironment
        var name: [UInt8]
    }

    /// Wall-clock milliseconds; nil for a bit that nobody has changed.
    private struct Times {
        var bit0: Int64?
        var bit1: Int64?

        mutating func note(_ change: BitChange, _ requestedAt: Int64) {
            if change.bit0 != nil { self.bit0 = max(self.bit0 ?? requestedAt, requestedAt) }
            if change.bit1 != nil { self.bit1 = max(self.bit1 ?? requestedAt, requestedAt) }
        }
    }

    private struct State {
        var younger: [Subject: Times] = [:]
        var older: [Subject: Times] = [:]
        /// Wall-clock milliseconds.
        var begunAt: Int64?
        var isLive = false
    }

    private let limits: Limits
    private let state = Mutex(State())

    package init(_ limits: Limits = Limits()) { self.limits = limits }

    /// From now on updates are remembered. A case that is played through by hand leaves no trace.
    func goLive() { self.state.withLock { $0.isLive = true } }

    /// What is left to do of a change that was decided upon then: a bit that something newer has set stays as it is. Of
    /// the very same time nothing is left out: it may be the same change, delivered again.
    func remainder(of change: BitChange, from requestedAt: Int64, for subject: Subject, now: Int64)
        -> BitChange
    {
        self.state.withLock { state in
            self.turn(&state, now)
            guard let last = state.younger[subject] ?? state.older[subject] else { return change }
            var rest = change
            if let time = last.bit0, time > requestedAt { rest.bit0 = nil }
            if let time = last.bit1, time > requestedAt { rest.bit1 = nil }
            return rest
        }
    }

    /// The change has been done.
    func note(_ change: BitChange, from requestedAt: Int64, for subject: Subject, now: Int64) {
        self.state.withLock { state in
            guard state.isLive else { return }
            self.turn(&state, now)
            var times = state.younger[subject] ?? state.older[subject] ?? Times()
            times.note(change, requestedAt)
            state.younger[subject] = times
        }
    }

    var count: Int { self.state.withLock { $0.younger.count + $0.older.count } }

    private func turn(_ state: inout State, _ now: Int64) {
        let begunAt = state.begunAt ?? now
        state.begunAt = begunAt
        let isOld = Duration.milliseconds(max(0, now - begunAt)) >= self.limits.age
        guard isOld || state.younger.count >= max(1, self.limits.subjects / 2) else { return }
        state.older = state.younger
        state.younger = [:]
        state.begunAt = now
    }
}
