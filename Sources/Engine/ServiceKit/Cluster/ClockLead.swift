package import Kafka
package import Logging
package import Records

extension KafkaSettings {
    /// The number of partitions that are asked. Their leaders are different brokers, as a rule, so that neither one that does
    /// not answer nor one whose clock is wrong decides alone.
    private static let askedPartitions: Int32 = 3

    /// Returns the milliseconds by which this machine's clock is ahead of the brokers'; 0 if they do not tell their time.
    ///
    /// They tell it only for a record that is written, and only in a topic on whose records they put it. The least of the
    /// leads over several brokers counts.
    ///
    /// - Parameters:
    ///   - record: A record that the readers of its topic ignore. It is written to the topic's first partitions.
    ///   - partitions: The number of partitions of its topic; 0 if there is no such topic.
    ///   - topic: The settings of its topic; nil if they are unknown.
    package func clockLead(
        writing record: OutboundRecord,
        toFirstOf partitions: Int,
        in topic: TopicSettings?,
        telling logger: Logger
    ) -> Int64 {
        guard partitions > 0 else { return 0 }
        guard let topic else {
            logger.info(
                "no right to describe a topic: a clock of this machine that is ahead is not noticed",
                metadata: ["topic": "\(record.topic)"]
            )
            return 0
        }
        guard topic.hasBrokersTime else { return 0 }
        let properties = self.producerProperties().merging(["log_level": "0"]) { $1 }
        let clock = BrokerClock(properties, atMost: ClusterWait.slice)
        let records = (0..<min(Self.askedPartitions, Int32(clamping: partitions))).map { partition in
            var copy = record
            copy.partition = partition
            return copy
        }
        do throws(KafkaError) {
            let asked = Moment.now.wall
            // A broker's clock showed no more than its answer when it was asked, so the lead is at least this.
            return try clock.times(writing: records).map(asked.subtractingClamped).min() ?? 0
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

    /// Returns such a note about a topic with the state of a worker.
    package func noteOfClock(ofChangelog topic: String) -> String? {
        self.noteOfClock(of: topic, as: "changelog", harm: "forgets too early what it must recognise")
    }
}
