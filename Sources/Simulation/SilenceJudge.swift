import WorkerKit

/// Tells a worker that stands still and does not say so: it has records to read or to settle, does neither for a while,
/// and calls itself ready.
struct SilenceJudge {
    /// How long a worker may get nowhere before it has to say so.
    static let limit = Duration.seconds(30)
    /// A worker looks after itself once a second, and so does this judge.
    private static let grace = Duration.seconds(3)

    private var progress = 0
    /// Since when it has had something to do and has got nowhere.
    private var standsSince: Int64?

    /// Looks at a worker, as often as once a second.
    ///
    /// - Parameters:
    ///   - progress: how many records it has read and settled so far.
    ///   - hasLag: whether it has partitions with records that it has not read or not settled.
    ///   - unreadiness: what it says of itself.
    /// - Returns: for how long it has stood still in silence, if that is too long; told once for each standstill.
    mutating func look(at now: Int64, progress: Int, hasLag: Bool, unreadiness: String?) -> Duration? {
        guard hasLag, progress == self.progress, unreadiness == nil, let since = self.standsSince else {
            // One that has said so and falls silent again has its time anew.
            self.standsSince = hasLag ? now : nil
            self.progress = progress
            return nil
        }
        guard now - since > (Self.limit + Self.grace).wholeNanoseconds else { return nil }
        self.standsSince = nil
        return .nanoseconds(now - since)
    }
}
