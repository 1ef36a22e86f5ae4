import Kafka
import Records
import WorkerKit

/// The workers of one kind in a chaos run, what is published for them, and what is seen of their results.
final class ChaosTrack {
    let crew: ChaosCrew
    let load: Load
    let watch: ResultWatch
    private let brokers: String

    /// - Parameters:
    ///   - keys: how many there are.
    ///   - results: what the workers write.
    ///   - rate: inputs a second.
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
            results: results
        )
        self.load = try Load(audit, of: source, rate: rate, seed: options.seed, brokers: brokers)
        self.watch = try ResultWatch(crew.worker, results, brokers: brokers)
    }

    /// The worker at this place of the fleet; nil if there is none.
    func post(at place: Int) -> WorkerPost? {
        self.crew.posts.indices.contains(place) ? self.crew.posts[place] : nil
    }

    /// Inputs that the broker has, or may have, and no outcome.
    var open: Int { self.load.reported - self.watch.settled }

    var isSettled: Bool {
        self.load.reported == self.load.sent && self.watch.settled >= self.load.audit.deliveredCount
    }

    /// Whether there is poison without an outcome.
    var hasPoison: Bool {
        self.load.audit.poison.contains { number in
            let input = self.load.audit.inputs[number - 1]
            return !self.watch.hasOutcome(input.partition, input.offset)
        }
    }

    /// The run still waits for this; a sentence for a person.
    var missing: String {
        let unacknowledged = self.load.sent - self.load.reported
        let open = self.load.audit.deliveredCount - self.watch.settled
        return "\(unacknowledged) acknowledgements, \(open) outcomes\(self.watch.missing)"
    }

    /// Reads what the workers have written from the beginning to the end, with a reader that has nothing to do with the
    /// rest.
    func conclude(on stage: Stage) throws -> (audit: ChaosAudit, lag: Int64) {
        var audit = self.load.audit
        let worker = self.crew.worker
        let topics = [worker.resultTopic, worker.deadLetterTopic, worker.parkedTopic]
        let reader = try Stage.reader(of: topics, self.brokers)
        while !reader.isAtEnd {
            let taken = reader.read(atMost: 5_000) { record in
                switch record.topic {
                case worker.resultTopic: audit.foundOutcome(record)
                case worker.deadLetterTopic: audit.foundLetter(record)
                default: audit.foundTicket(record)
                }
            } _: { _ in
            }
            if taken == 0, !reader.isAtEnd { try stage.turn() }
        }
        audit.conclude()
        let lag = try self.crew.lag(behind: audit.ends, on: self.brokers)
        if lag > 0 { audit.object(.lag, "the group of \(worker.name) has not committed \(lag) records") }
        for sentence in self.watch.takeovers.unfinished { audit.object(.orphaned, sentence) }
        return (audit, lag)
    }
}
