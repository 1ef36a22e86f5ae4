import DeadLetters
import EventThread
import Terminal

/// Waits for the outcomes of replays.
struct OutcomeWait {
    let desk: Desk
    let wish: StopWish

    /// Refreshes the index until the replays are as wanted, the time is over, or the user asks to stop.
    ///
    /// - Parameters:
    ///   - batch: The replays' mark; nil for the latest batches.
    ///   - limit: The most batches that are looked at.
    ///   - isEnough: Asked about the batches as the index knows them, before each wait.
    /// - Returns: The batches as the last look has found them.
    /// - Throws: errors of the cluster and of the index.
    func batches(
        _ batch: String?,
        limit: Int,
        for duration: Duration,
        until isEnough: ([BatchView]) -> Bool
    ) throws -> [BatchView] {
        let deadline = ContinuousClock.now + duration
        var wait = Wait(on: [self.wish.descriptor])
        var batches = try self.desk.index.batches(limit: limit, batch: batch)
        // The index is refreshed twice a second, because no event tells of a new result.
        while !isEnough(batches), ContinuousClock.now < deadline, self.wish.count == 0 {
            wait(atMost: .milliseconds(500))
            try self.desk.refresh()
            batches = try self.desk.index.batches(limit: limit, batch: batch)
        }
        return batches
    }
}
