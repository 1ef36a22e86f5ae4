/// The bound of a property with which a client of librdkafka is still of use. librdkafka itself allows values with
/// which a worker waits for an hour, and says nothing meanwhile.
struct PropertyBound {
    /// The largest number, and the consequence of a larger one.
    private let most: Double
    private let whenAbove: String
    /// The smallest number, and the consequence of a smaller one; nil if librdkafka's own bound is enough.
    private let least: (number: Double, consequence: String)?

    private init(
        _ most: Double,
        _ whenAbove: String,
        least: (number: Double, consequence: String)? = nil
    ) {
        self.most = most
        self.whenAbove = whenAbove
        self.least = least
    }

    /// Returns the objection to a number, as a sentence without its full stop; nil if there is none.
    func objection(to number: Double, of name: String) -> String? {
        if number > self.most { return "\(name) must not be above \(Int(self.most)): \(self.whenAbove)" }
        if let least = self.least, number < least.number {
            return "\(name) must not be below \(Int(least.number)): \(least.consequence)"
        }
        return nil
    }

    /// The bounds by the names of the properties, in milliseconds where the name says nothing else.
    static let all: [String: PropertyBound] = [
        // The shortest transaction gives a record 1,333 ms to be acknowledged, and a record must not spend them
        // all waiting for its batch.
        "linger.ms": PropertyBound(1_000, lingering),
        "queue.buffering.max.ms": PropertyBound(1_000, lingering),
        "reconnect.backoff.ms": PropertyBound(10_000, returning),
        "reconnect.backoff.max.ms": PropertyBound(60_000, returning),
        "socket.connection.setup.timeout.ms": PropertyBound(60_000, silence),
        "socket.timeout.ms": PropertyBound(
            120_000,
            silence,
            least: (1_000, "answers of a busy broker would be given up")
        ),
        "retry.backoff.ms": PropertyBound(10_000, repeating),
        "retry.backoff.max.ms": PropertyBound(60_000, repeating),
        "fetch.error.backoff.ms": PropertyBound(10_000, repeating),
        // With few records, a broker answers only when this time is over, if `fetch.min.bytes` is large.
        "fetch.wait.max.ms": PropertyBound(5_000, "a record could wait so long at its broker"),
        // One client, and so one worker, has so many KiB of records that it has fetched and not handed over yet.
        "queued.max.messages.kbytes": PropertyBound(1_048_576, fetchedAhead),
        // A worker renews what it knows of the cluster every 10 seconds (`topic.metadata.refresh.interval.ms`).
        "metadata.max.age.ms": PropertyBound(
            3_600_000,
            "what was last heard of the cluster would be believed so long",
            least: (10_000, "topics would be unknown between two looks at the cluster")
        ),
    ]

    private static let lingering = "every record would wait so long"
    private static let fetchedAhead = "records that were fetched ahead would take so much memory"
    private static let returning = "a broker that comes back would be found so late"
    private static let silence = "a broker that is gone would be waited for so long"
    private static let repeating = "a request that failed would be repeated so late"
}
