import FlotillaRecords
package import Records
package import WireFormats
package import WorkerKit

/// A worker of a shell as a handler of the engine.
package struct WorkerHandler<W: Worker>: Handler {
    package let worker: W

    package init(_ worker: W) { self.worker = worker }

    package func plan(
        _ record: InboundRecord,
        _ attempt: WorkerKit.Attempt,
        with memory: inout NoMemory
    ) -> WorkerKit.Plan<W.Job, Answer> {
        self.worker.plan(Record(record), Attempt(attempt)).plan
    }

    package func interpret(
        _ exchange: WorkerKit.Exchange,
        of job: W.Job,
        _ attempt: WorkerKit.Attempt,
        with memory: inout NoMemory
    ) -> WorkerKit.Verdict<W.Job, Answer> {
        self.worker.interpret(Exchange(exchange), of: job, Attempt(attempt)).verdict
    }

    package func encode(_ outcome: WireFormats.Outcome, _ answer: Answer?, as format: ValueFormat) -> [UInt8]
    {
        ShellResult.encode(outcome, answer ?? [:], as: format)
    }
}
