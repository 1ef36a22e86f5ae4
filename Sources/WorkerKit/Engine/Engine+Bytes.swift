// What takes up memory beside the records in hand: requests on their way, answers that come in, and what is kept of
// them until the broker has it.
extension Engine {
    /// Everything that counts for `worker.bytes_limit`.
    package var bytesInHand: Int { self.table.bytes + self.upstream.bytesInHand }

    /// Whether everything that may be in hand is.
    var isFull: Bool {
        self.bytesInHand >= self.settings.bytesLimit || self.table.count >= self.settings.recordsLimit
    }

    /// Whether one more call may begin. What its answer will take is not known before, so calls that are out, and outcomes
    /// that the broker does not have yet, take up to a quarter of the limit. Both end by themselves.
    var hasRoomForACall: Bool {
        self.upstream.bytesInHand + self.table.outcomeBytes < self.settings.bytesLimit / 4
    }
}
