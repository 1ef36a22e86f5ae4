import EventThread
import Kafka
import ServiceKit
import Terminal

/// The topic of `fleet publish`. It has to be there before the first record: a broker with
/// `auto.create.topics.enable` would make it, with the broker's settings, of a mere typing error.
struct PublishedTopic {
    /// The longest time for an answer of the cluster, and for a new topic to be seen.
    private static let longest = Duration.seconds(10)

    let name: String
    /// The partitions of the topic if it is made.
    let partitions: Int
    /// librdkafka's properties, for a client that makes the topic.
    let properties: [String: String]

    /// Looks for the topic, and makes it if it may.
    ///
    /// - Parameters:
    ///   - publisher: asks the cluster.
    ///   - creates: whether a topic that is not there is made.
    /// - Throws: `Complaint` if the topic is not there and is not made, or if the cluster does not answer.
    func prepare(for publisher: Publisher, creates: Bool, _ wish: StopWish) throws {
        guard try !self.isSeen(by: publisher) else { return }
        guard creates else { throw Complaint(self.absence) }
        try self.make()
        let end = Moment.now.after(Self.longest)
        var pause = Wait(on: [wish.descriptor])
        // Apache Kafka answers before every broker knows of the topic.
        while try !self.isSeen(by: publisher) {
            guard Moment.now.monotonic < end, wish.count == 0 else {
                throw Complaint("the topic '\(self.name)' is made, and the cluster does not show it yet")
            }
            pause(atMost: .milliseconds(100))
        }
        Console.complain("the topic '\(self.name)' is made (partitions: \(self.partitions))")
    }

    /// The sentence about a topic that is not there, with the command that makes it.
    var absence: String {
        let brokers = self.properties["bootstrap.servers"].map { " --brokers \($0)" } ?? ""
        return "the topic '\(self.name)' does not exist, or may not be seen; to make it and publish: "
            + "fleet publish \(self.name)\(brokers) --create"
    }

    private func isSeen(by publisher: Publisher) throws(Complaint) -> Bool {
        do throws(KafkaError) {
            return try publisher.partitionCount(of: self.name, atMost: Self.longest) > 0
        } catch {
            let brokers = self.properties["bootstrap.servers", default: "the brokers"]
            throw Complaint("no answer from \(brokers): \(error.plainWords)")
        }
    }

    private func make() throws(Complaint) {
        let plan = TopicPlan(name: self.name, partitions: self.partitions)
        do throws(KafkaError) {
            let admin = try Admin(self.properties)
            try admin.createTopics(
                [plan.name: plan.partitions],
                settings: plan.settings,
                atMost: Self.longest
            )
        } catch  where error.code == .topicAlreadyExists {
            // Somebody else has made it meanwhile.
        } catch {
            throw Complaint("the topic '\(self.name)' cannot be made: \(error.message)")
        }
    }
}
