/// A retry topic. All its records wait equally long before their next attempt.
package struct RetryTier: Hashable, Sendable {
    /// The name of the topic.
    package var topic: String
    /// How long each record of the topic waits.
    package var delay: Duration

    package init(topic: String, delay: Duration) {
        self.topic = topic
        self.delay = delay
    }

    /// How long the topic has to keep a record. A record is read when it is due, and later if the worker is behind or
    /// down: so it has to lie there for twice as long as it is to wait, and for no less than an hour more.
    package var leastRetention: Duration { self.delay + max(self.delay, .seconds(3_600)) }
}
