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
}
