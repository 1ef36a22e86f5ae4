import EventThread
import Harness
import Kafka
import Records
import ServiceKit

/// Publishes the inputs of a source at a steady rate, and tells the audit about each.
final class Load: Attended {
    /// The greatest delay behind the rate. Inputs that are due for longer are skipped, so that a slow machine
    /// is not flooded afterwards.
    private static let longestDelay = Duration.seconds(1)

    var audit: ChaosAudit
    /// The number of inputs for which the producer has reported success or failure.
    private(set) var reported = 0
    private let producer: Producer
    private let perSecond: Int
    private var random: SplitMix64
    private var source: any LoadSource
    private var begun: ContinuousClock.Instant?
    /// The number of inputs that were sent or skipped since the start.
    private var due = 0
    /// An input that the producer did not take yet; it is sent first at the next attempt.
    private var next: (record: OutboundRecord, number: Int)?

    /// - Parameter rate: the number of inputs per second.
    init(_ audit: ChaosAudit, of source: any LoadSource, rate: Int, seed: UInt64, brokers: String) throws {
        self.audit = audit
        self.source = source
        self.perSecond = rate
        self.random = SplitMix64(seed: seed)
        let properties = [
            "bootstrap.servers": brokers, "linger.ms": "5", "message.timeout.ms": "120000",
            "reconnect.backoff.max.ms": "1000", "topic.metadata.refresh.interval.ms": "1000",
            "message.max.bytes": "\(InputKind.largestBatch)",
        ]
        self.producer = try Producer(properties)
    }

    var descriptors: [Int32] { [self.producer.descriptor] }

    /// The number of inputs that were given to the producer.
    var sent: Int { self.audit.inputs.count - (self.next == nil ? 0 : 1) }

    func begin() { self.begun = .now }

    func end() { self.begun = nil }

    /// Registers that the topic has more partitions from now on.
    func grew(to partitions: Int) { self.source.grew(to: partitions) }

    func serve() {
        self.producer.serve { receipt in
            self.reported += 1
            if let error = receipt.error {
                self.audit.notDelivered(Int(receipt.id), because: error.message)
            } else {
                self.audit.delivered(Int(receipt.id), to: receipt.partition.partition, at: receipt.offset)
            }
        } _: { _ in
        }
    }

    /// Sends the inputs that are due by now.
    func sendWhatIsDue() throws {
        guard let begun else { return }
        let late = Int(Self.longestDelay / .seconds(1) * Double(self.perSecond))
        let wanted = Int(begun.duration(to: .now) / .seconds(1) * Double(self.perSecond))
        self.due = max(self.due, wanted - late)
        while self.due < wanted {
            guard try self.sendOne() else { return }
            self.due += 1
        }
    }

    /// Sends one input.
    ///
    /// - Returns: false if the producer's queue is full, or if the producer does not know the partition yet.
    private func sendOne() throws -> Bool {
        let (record, number) = self.next ?? self.made()
        self.next = nil
        do throws(KafkaError) {
            try self.producer.send(record, id: UInt64(number))
            return true
        } catch {
            guard [.queueFull, .unknownPartition].contains(error.code) else { throw error }
            self.next = (record, number)
            return false
        }
    }

    /// Makes the next input, and registers it with the audit.
    private func made() -> (record: OutboundRecord, number: Int) {
        let time = self.begun?.duration(to: .now) ?? .zero
        var input = self.source.next(at: time, using: &self.random)
        input.record.key = input.kind.key(input.key)
        let sentAt = input.isHonest ? Moment.now.wall : nil
        return (input.record, self.audit.sent(input.record, input.kind, key: input.key, at: sentAt))
    }
}
