import EventThread
import Kafka
import Records
import WorkerKit

/// Inputs of a source at a steady rate, from a seed.
final class Load: Attended {
    /// So far behind its rate it gives up what it is behind: a machine without time is not to be flooded afterwards.
    private static let longestDelay = Duration.seconds(1)

    var audit: ChaosAudit
    /// Reported by the broker, one way or the other.
    private(set) var reported = 0
    private let producer: Producer
    private let perSecond: Int
    private var random: SplitMix64
    private var source: any LoadSource
    private var begun: ContinuousClock.Instant?
    private var due = 0
    private var next: (record: OutboundRecord, number: Int)?

    /// - Parameter rate: inputs a second.
    init(_ audit: ChaosAudit, of source: any LoadSource, rate: Int, seed: UInt64, brokers: String) throws {
        self.audit = audit
        self.source = source
        self.perSecond = rate
        self.random = SplitMix64(seed: seed)
        let properties = [
            "bootstrap.servers": brokers, "linger.ms": "5", "message.timeout.ms": "120000",
            "reconnect.backoff.max.ms": "1000",
        ]
        self.producer = try Producer(properties)
    }

    var descriptors: [Int32] { [self.producer.descriptor] }

    var sent: Int { self.audit.inputs.count - (self.next == nil ? 0 : 1) }

    func begin() { self.begun = .now }

    func end() { self.begun = nil }

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

    /// Sends what is due by now.
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

    /// - Returns: false if the queue is full.
    private func sendOne() throws -> Bool {
        let (record, number) = self.next ?? self.made()
        self.next = nil
        do throws(KafkaError) {
            try self.producer.send(record, id: UInt64(number))
            return true
        } catch {
            guard error.code == .queueFull else { throw error }
            self.next = (record, number)
            return false
        }
    }

    private func made() -> (record: OutboundRecord, number: Int) {
        let time = self.begun?.duration(to: .now) ?? .zero
        var input = self.source.next(at: time, using: &self.random)
        input.record.key = ChaosAudit.key(input.key)
        let sentAt = input.isHonest ? Moment.now.wall : nil
        return (input.record, self.audit.sent(input.record, input.kind, key: input.key, at: sentAt))
    }
}
