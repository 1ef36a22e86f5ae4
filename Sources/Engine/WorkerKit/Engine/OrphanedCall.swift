/// A call in flight whose record is gone: its partition was given up.
struct OrphanedCall: Sendable {
    /// The endpoint, as an index of the handler's list.
    let endpoint: Int
    /// The monotonic time at which the call began, in nanoseconds.
    let began: Int64
    /// Whether the record's last call failed while calls for other records succeeded.
    let isOutlier: Bool
    /// Whether the call may be cut short: nobody waits for its answer, but a request that it shares stays whole.
    let mayBeCut: Bool
    /// Whether this worker has cut the call short.
    var isCut: Bool

    init(_ call: CallInFlight) {
        (self.endpoint, self.began) = (call.endpoint, call.began)
        (self.isOutlier, self.isCut) = (call.isOutlier, call.isCut)
        self.mayBeCut = !call.mayShare
    }
}
