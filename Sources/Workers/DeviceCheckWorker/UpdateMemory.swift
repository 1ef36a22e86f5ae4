import WireFormats

/// The memory of the latest update of each bit of each subject. An older update that arrives later must not
/// undo a newer one. It still sets the other bit, if no newer update has set that.
///
/// The memory is limited by age and by number. It is empty after a start, so an old update that is published
/// after a restart is carried out. Two generations keep both limits: when the younger one is full or old, it
/// becomes the older one, and the older one is dropped.
package struct UpdateMemory: Sendable {
    /// The bounds of the memory.
    package struct Limits: Hashable, Sendable {
        /// The greatest number of subjects in both generations together. A full memory keeps at least half as
        /// many.
        package var subjects: Int
        /// The age at which the younger generation becomes the older one. A subject is remembered at least
        /// this long, unless the memory fills up before, and at most twice as long while records keep
        /// arriving.
        package var age: Duration

        /// Creates bounds, by default 200,000 subjects and one day.
        package init(subjects: Int = 200_000, age: Duration = .seconds(24 * 3_600)) {
            self.subjects = subjects
            self.age = age
        }
    }

    /// The device that bits belong to, as the record names it. Each environment has bits of its own.
    struct Subject: Hashable, Sendable {
        var team: String
        var environment: DeviceCheckEnvironment
        var name: [UInt8]
    }

    /// The times of the last update of each bit, in wall-clock milliseconds since 1970; nil for a bit without
    /// an update.
    private struct Times {
        var bit0: Int64?
        var bit1: Int64?

        mutating func note(_ change: BitChange, _ requestedAt: Int64) {
            if change.bit0 != nil { self.bit0 = max(self.bit0 ?? requestedAt, requestedAt) }
            if change.bit1 != nil { self.bit1 = max(self.bit1 ?? requestedAt, requestedAt) }
        }
    }

    private let limits: Limits
    private var younger: [Subject: Times] = [:]
    private var older: [Subject: Times] = [:]
    /// When the younger generation began: wall-clock milliseconds since 1970.
    private var begunAt: Int64?

    /// Creates an empty memory.
    package init(_ limits: Limits = Limits()) { self.limits = limits }

    /// Returns the part of a change that is still to be done. A bit that a newer update has set is left out.
    /// An update of exactly the same time is done again, because it may be the same change, delivered twice.
    ///
    /// - Parameters:
    ///   - change: the bits of the update.
    ///   - requestedAt: when the update was requested, in milliseconds since 1970.
    ///   - subject: the device that the bits belong to.
    ///   - now: the wall-clock time in milliseconds since 1970.
    mutating func remainder(
        of change: BitChange,
        from requestedAt: Int64,
        for subject: Subject,
        now: Int64
    ) -> BitChange {
        self.turn(now)
        guard let last = self.younger[subject] ?? self.older[subject] else { return change }
        var rest = change
        if let time = last.bit0, time > requestedAt { rest.bit0 = nil }
        if let time = last.bit1, time > requestedAt { rest.bit1 = nil }
        return rest
    }

    /// Records that Apple has carried out a change.
    mutating func note(_ change: BitChange, from requestedAt: Int64, for subject: Subject, now: Int64) {
        self.turn(now)
        var times = self.younger[subject] ?? self.older[subject] ?? Times()
        times.note(change, requestedAt)
        self.younger[subject] = times
    }

    /// The number of entries in both generations; a subject that is in both counts twice.
    var count: Int { self.younger.count + self.older.count }

    /// Begins a new generation if the younger one is full or old.
    private mutating func turn(_ now: Int64) {
        let begunAt = self.begunAt ?? now
        self.begunAt = begunAt
        let isOld = Duration.milliseconds(max(0, now - begunAt)) >= self.limits.age
        guard isOld || self.younger.count >= max(1, self.limits.subjects / 2) else { return }
        self.older = self.younger
        self.younger = [:]
        self.begunAt = now
    }
}
