import EventThread
package import Kafka
package import Records
package import Terminal

/// Publishes records, and counts them until the broker has acknowledged each.
package final class Publisher {
    private let producer: Producer
    private let isVerbose: Bool
    private var waitForReports: Wait
    private var sent: UInt64 = 0
    /// The number of records that the broker has acknowledged.
    package private(set) var delivered = 0
    /// The number of records that were not published.
    package private(set) var failed = 0
    private var lastComplaint: String?

    /// Makes a publisher.
    ///
    /// - Parameters:
    ///   - properties: librdkafka's own; they go before the defaults here.
    ///   - verbose: whether the place of each record is printed.
    package init(_ properties: [String: String], verbose: Bool) throws(KafkaError) {
        // A topic that is deleted meanwhile stays deleted: a broker with auto.create.topics.enable makes one for a
        // request for metadata, unless the request forbids it.
        let defaults = [
            "linger.ms": "5", "message.timeout.ms": "30000", "allow.auto.create.topics": "false",
        ]
        self.producer = try Producer(defaults.merging(properties) { $1 })
        self.isVerbose = verbose
        self.waitForReports = Wait(on: [self.producer.descriptor])
    }

    /// The descriptor that is readable when `serve` has something to do.
    package var descriptor: Int32 { self.producer.descriptor }

    /// The number of partitions of a topic; 0 if the topic does not exist, or may not be seen. Waits for the cluster,
    /// at most this long.
    package func partitionCount(of topic: String, atMost longest: Duration) throws(KafkaError) -> Int {
        try self.producer.metadata(atMost: longest).partitionCounts[topic, default: 0]
    }

    /// Gives a record to the producer. If the producer's queue is full, waits for acknowledgements, so that
    /// the broker determines the rate.
    package func publish(_ record: OutboundRecord, _ wish: StopWish) {
        while true {
            do throws(KafkaError) {
                try self.producer.send(record, id: self.sent + 1)
                self.sent += 1
                return
            } catch  where error.code == .queueFull && wish.count == 0 {
                self.waitForReports(atMost: .seconds(1))
                self.serve()
            } catch {
                self.sent += 1
                self.failed += 1
                return self.complain("not published: \(error.plainWords)")
            }
        }
    }

    /// Handles acknowledgements and errors.
    package func serve() {
        self.producer.serve { receipt in
            guard let error = receipt.error else {
                self.delivered += 1
                if self.isVerbose {
                    Console.line(
                        "\(receipt.partition.topic)/\(receipt.partition.partition)/\(receipt.offset)"
                    )
                }
                return
            }
            self.failed += 1
            self.complain("not delivered: \(error.plainWords)")
        } _: { error in
            self.complain(error.plainWords)
        }
    }

    /// Waits until each record is acknowledged or has failed; librdkafka fails a record after
    /// `message.timeout.ms` (30 s by default). A second request to stop ends the wait.
    package func finish(_ wish: StopWish) {
        self.serve()
        while self.sent > UInt64(self.delivered + self.failed), wish.count < 2 {
            self.waitForReports(atMost: .seconds(1))
            self.serve()
        }
    }

    /// A sentence with the number of published records.
    ///
    /// - Parameter unread: the number of input lines that were no records.
    package func summary(unread: Int, topic: String) -> String {
        let lost = self.failed + unread
        let records = self.delivered == 1 ? "record" : "records"
        return "\(self.delivered) \(records) published to \(topic)" + (lost == 0 ? "" : ", \(lost) not")
    }

    /// Prints an error, unless it has the same text as the last one.
    private func complain(_ text: String) {
        guard text != self.lastComplaint else { return }
        self.lastComplaint = text
        Console.complain(text)
    }
}
