package import Kafka
package import Logging
package import Records

extension KafkaSettings {
    /// Returns the milliseconds by which this machine's clock is ahead of the brokers'; 0 if they do not tell their time.
    ///
    /// They tell it only for a record that is written, and only in a topic on whose records they put it.
    ///
    /// - Parameters:
    ///   - record: A record that tells the readers of its topic nothing.
    ///   - topic: The settings of that topic; nil if they are unknown.
    package func clockLead(
        writing record: OutboundRecord,
        to topic: TopicSettings?,
        telling logger: Logger
    ) -> Int64 {
        guard topic?.hasBrokersTime == true else { return 0 }
        let properties = self.producerProperties().merging(["log_level": "0"]) { $1 }
        let clock = BrokerClock(properties, atMost: ClusterWait.slice)
        do throws(KafkaError) {
            let asked = Moment.now.wall
            // The broker's clock showed no more than its answer when it was asked, so the lead is at least this.
            return try clock.time(writing: record).map(asked.subtractingClamped) ?? 0
        } catch {
            logger.warning(
                "the brokers do not tell their time: a clock of this machine that is ahead is not noticed",
                metadata: ["error": "\(error)"]
            )
            return 0
        }
    }
}

extension TopicSettings {
    /// Kafka's name of the setting that says whose time a record has.
    private static let times = "message.timestamp.type"

    /// Whether the brokers put their time on the records of the topic.
    package var hasBrokersTime: Bool { self[Self.times] == "LogAppendTime" }

    /// Returns a note about a topic from which a worker does not learn the brokers' time; nil if it learns it, or if the
    /// setting is unknown.
    ///
    /// - Parameter harm: The consequence for a worker whose clock is ahead, as a verb with its object.
    package func noteOfClock(of topic: String, as role: String, harm: String) -> String? {
        guard let type = self[Self.times], !self.hasBrokersTime else { return nil }
        return
            "The \(role) topic '\(topic)' has \(Self.times) '\(type)': a worker that starts with a clock that is "
            + "ahead does not notice it, and \(harm). Set it to 'LogAppendTime'."
    }
}
