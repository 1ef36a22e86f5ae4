import Records
import WireFormats
import WorkerKit

@testable import ActivationWorker

/// The handler remembers nothing, so a test need not keep its memory.
extension ActivationHandler {
    func plan(_ record: InboundRecord, _ attempt: Attempt) -> Plan<Activation, ActivationAnswer> {
        var memory = self.emptyMemory
        return self.plan(record, attempt, with: &memory)
    }

    func interpret(_ exchange: Exchange, of job: Activation, _ attempt: Attempt)
        -> Verdict<Activation, ActivationAnswer>
    {
        var memory = self.emptyMemory
        return self.interpret(exchange, of: job, attempt, with: &memory)
    }
}
