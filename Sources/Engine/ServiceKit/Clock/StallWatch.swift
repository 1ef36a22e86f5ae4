/// Notices that a worker has something to do and finishes nothing.
///
/// The watch only observes. The caller reports what has been done so far, and names the cause when the watch
/// asks for it.
package struct StallWatch: Sendable {
    /// The reason why a worker stands still, and what ends the standstill.
    package struct Stall: Hashable, Sendable {
        /// The label of the metric `worker_stalled`.
        package var cause: String
        /// The cause as a sentence, without its full stop.
        package var description: String
        /// The setting or command that ends the standstill, as a sentence without its full stop.
        package var remedy: String

        package init(cause: String, description: String, remedy: String) {
            self.cause = cause
            self.description = description
            self.remedy = remedy
        }
    }

    /// A change in whether the worker stands still, or why.
    package enum Change: Hashable, Sendable {
        case began(Stall)
        /// The worker still stands still, and now has another cause for it.
        case turned(from: Stall, to: Stall)
        case ended(Stall)
    }

    private let limit: Duration
    private var progress: UInt64 = 0
    /// The monotonic time at which there was last progress, or last nothing to do.
    private var lastMove: Int64?
    /// The current standstill; nil if there is none.
    package private(set) var stall: Stall?

    /// - Parameter limit: How long a worker with work may make no progress before it counts as standing
    ///   still.
    package init(limit: Duration) { self.limit = limit }

    /// Compares the progress with that of the last look.
    ///
    /// - Parameters:
    ///   - progress: A count of what was finished.
    ///   - hasWork: Whether there is something to do.
    ///   - cause: Called only if the worker has stood still for longer than the limit.
    /// - Returns: The change since the last look; nil if there is none.
    package mutating func look(
        progress: UInt64,
        hasWork: Bool,
        at now: Int64,
        cause: () -> Stall
    ) -> Change? {
        if progress != self.progress || !hasWork || self.lastMove == nil {
            self.progress = progress
            self.lastMove = now
            return self.become(nil)
        }
        guard let lastMove = self.lastMove,
            now.subtractingClamped(lastMove) > self.limit.wholeNanoseconds
        else { return nil }
        return self.become(cause())
    }

    /// Notes that something essential has failed since a monotonic time, so that the progress since then does not
    /// count.
    package mutating func stoodStill(since start: Int64, progress: UInt64) {
        self.progress = progress
        self.lastMove = min(self.lastMove ?? start, start)
    }

    private mutating func become(_ stall: Stall?) -> Change? {
        guard stall?.cause != self.stall?.cause else { return nil }
        defer { self.stall = stall }
        switch (self.stall, stall) {
        case (nil, let new?): return .began(new)
        case (let old?, let new?): return .turned(from: old, to: new)
        case (let old?, nil): return .ended(old)
        case (nil, nil): return nil
        }
    }
}
