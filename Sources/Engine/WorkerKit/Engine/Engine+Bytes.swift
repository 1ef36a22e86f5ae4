import ServiceKit

// The bounds on memory. Beside the records in hand, three things take memory: requests in flight, answers
// that arrive, and the parts of answers and outcomes that are kept until the broker has acknowledged them.
extension Engine {
    /// The bytes that count for `worker.bytes_limit`.
    package var bytesInHand: Int { self.table.bytes + self.upstream.bytesInHand }

    /// Whether the records or the bytes in hand have reached their limit.
    var isFull: Bool {
        self.bytesInHand >= self.settings.bytesLimit || self.table.count >= self.settings.recordsLimit
    }

    /// Whether there is memory for one more call.
    ///
    /// The size of an answer is not known before it arrives. So no call begins while the calls in flight, and
    /// the outcomes that the broker has not acknowledged, take a quarter of the limit or more. Both free
    /// their memory by themselves.
    var hasRoomForACall: Bool {
        self.upstream.bytesInHand + self.table.outcomeBytes < self.settings.bytesLimit / 4
    }
}
