/// Notices that a worker which has something to do takes in and finishes nothing.
///
/// It only watches. The caller says what has been done so far and why nothing moves, if it asks.
package struct StallWatch: Sendable {
    /// Why a worker stands still, and what ends it.
    package struct Stall: Hashable, Sendable {
        /// A label of the metric `worker_stalled`.
        package var cause: String
        /// A sentence, without its full stop.
        package var description: String
        /// The setting or command that ends it, as a sentence without its full stop.
        package var remedy: String

        package init(cause: String, description: String, remedy: String) {
            self.cause = cause
            self.description = description
            self.remedy = remedy
        }
    }

    package enum Change: Hashable, Sendable {
        case began(Stall)
        /// It is the same standstill, and another cause.
        case turned(from: Stall, to: Stall)
        case ended(Stall)
    }

    private let limit: Duration
    private var progress: UInt64 = 0
    /// When something was last done, or nothing was to be done.
    private var lastMove: Int64?
    package private(set) var stall: Stall?

    package init(limit: Duration) { self.limit = limit }

    /// Looks once more.
    ///
    /// - Parameters:
    ///   - progress: counts what was taken in and what was finished.
    ///   - hasWork: whether there is something to do.
    ///   - cause: asked when the worker has stood still for too long.
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

    /// What was done meanwhile does not count as a move.
    package mutating func stoodStill(progress: UInt64) { self.progress = progress }

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
