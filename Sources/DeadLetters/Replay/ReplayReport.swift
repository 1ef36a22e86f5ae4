/// What became of a replay or of a discard.
package struct ReplayReport: Hashable, Sendable {
    /// Why not all of it was done.
    package enum Interruption: Hashable, Sendable {
        /// Somebody asked for it to stop.
        case asked
        /// Somebody else has begun to replay or discard.
        case takenOver
        /// The cluster did not take a part of it, for this reason.
        case failed(String)
    }

    /// The command's mark: `dead-letters outcomes` takes it.
    package var batch: String
    package var planned: Int
    package var done = 0
    /// Letters that turned out, at the last moment, not to be for replaying.
    package var skipped: [ReplayPlan.Refusal: Int] = [:]
    package var interruption: Interruption?

    package init(batch: String, planned: Int) {
        self.batch = batch
        self.planned = planned
    }

    /// Neither done nor skipped: the same command goes on with these.
    package var left: Int { self.planned - self.done - self.skipped.values.reduce(0, +) }
}
