/// The result of a replay or of a discard.
package struct ReplayReport: Hashable, Sendable {
    /// The reason why a command ended before all its letters.
    package enum Interruption: Hashable, Sendable {
        /// A user stopped the command.
        case asked
        /// The broker has fenced this command, because another one has begun to replay or discard.
        case takenOver
        /// The cluster or the index failed; the text says how.
        case failed(String)
    }

    /// The batch id of the command, which `dead-letters outcomes` accepts.
    package var batch: String
    /// The number of letters that the command was given.
    package var planned: Int
    /// The number of letters that were replayed or discarded.
    package var done = 0
    /// The numbers of letters that were refused when their turn came, although the plan had them.
    package var skipped: [ReplayPlan.Refusal: Int] = [:]
    /// The reason why the command ended early; nil if it did not.
    package var interruption: Interruption?

    /// Creates the report of a command that has done nothing yet.
    package init(batch: String, planned: Int) {
        self.batch = batch
        self.planned = planned
    }

    /// The number of letters that were neither done nor skipped. The user can run the same command again for
    /// them.
    package var left: Int { self.planned - self.done - self.skipped.values.reduce(0, +) }
}
