import Fleet
import Harness
import Kafka
import Records
import ServiceKit

/// One kind of worker in a chaos run, with its inputs and its results.
final class ChaosTrack {
    let crew: ChaosCrew
    let load: Load
    let watch: ResultWatch
    private let brokers: String

    /// - Parameters:
    ///   - keys: the number of different keys.
    ///   - results: the message type of the result topic.
    ///   - rate: the number of inputs per second.
    init(
        _ crew: ChaosCrew,
        of source: any LoadSource,
        keys: Int,
        results: any WorkerResult.Type,
        rate: Int,
        options: ChaosOptions,
        brokers: String
    ) throws {
        self.crew = crew
        self.brokers = brokers
        let audit = ChaosAudit(
            topic: crew.worker.topic,
            keys: keys,
            delivery: options.delivery,
            lateAfter: options.lateAfter,
            results: results
        )
        self.load = try Load(audit, of: source, rate: rate, seed: options.seed, brokers: brokers)
        self.watch = try ResultWatch(crew.worker, results, brokers: brokers)
    }

    /// The number of inputs that the broker has or may have, and that have no outcome yet.
    var open: Int { self.load.reported - self.watch.settled }

    /// Whether every input is acknowledged and has its outcome.
    var isSettled: Bool {
        self.load.reported == self.load.sent && self.watch.settled >= self.load.audit.deliveredCount
    }

    /// Whether an input without an outcome needs others beside it.
    var needsCompany: Bool {
        self.load.audit.needingCompany.contains { number in
            let input = self.load.audit.inputs[number - 1]
            return !self.watch.hasOutcome(input.partition, input.offset)
        }
    }

    /// A text about what the run still waits for.
    var missing: String {
        let unacknowledged = self.load.sent - self.load.reported
        let open = self.load.audit.deliveredCount - self.watch.settled
        return "\(unacknowledged) acknowledgements, \(open) outcomes\(self.watch.missing)"
    }

    /// Reads all records that the workers have written, from the beginning to the end, with a separate
    /// reader.
    ///
    /// - Returns: the completed audit, and the number of records that the consumer group has not committed.
    func conclude(on harness: Harness) throws -> (audit: ChaosAudit, lag: Int64) {
        var audit = self.load.audit
        let worker = self.crew.worker
        let topics = [worker.resultTopic, worker.deadLetterTopic, worker.parkedTopic]
            .filter(self.crew.topics.contains)
        let reader = try Harness.reader(of: topics, self.brokers)
        while !reader.isAtEnd {
            let taken = reader.read(atMost: 5_000) { record in
                switch record.topic {
                case worker.resultTopic: audit.foundOutcome(record)
                case worker.deadLetterTopic: audit.foundLetter(record)
                default: audit.foundTicket(record)
                }
            } _: { _ in
            }
            if taken == 0, !reader.isAtEnd { try harness.turn() }
        }
        audit.conclude()
        let lag = try self.crew.lag(behind: audit.ends, on: self.brokers)
        if lag > 0 { audit.object(.lag, "the group of \(worker.name) has not committed \(lag) records") }
        for sentence in self.watch.takeovers.unfinished { audit.object(.orphaned, sentence) }
        return (audit, lag)
    }
}
