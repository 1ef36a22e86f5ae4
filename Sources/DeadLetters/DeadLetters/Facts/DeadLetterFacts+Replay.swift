extension DeadLetterFacts {
    /// Forgets what the headers claim of an earlier replay, unless the ledger knows that replay.
    ///
    /// A worker carries the headers of a replay from the record to its dead letter. Any publisher can write the same
    /// headers on a record of its own, and could so pass for a replay, or use up the replays that a record may have.
    ///
    /// - Parameter view: The letter as the index knows it.
    mutating func believeReplay(of view: LetterView) {
        guard view.replays == 0 else { return }
        self.replayCount = 0
        self.replayOf = nil
        self.replayID = nil
        self.editedSHA256 = nil
    }
}
