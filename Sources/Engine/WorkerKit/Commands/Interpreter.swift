import ArgumentParser
import Records
import ServiceKit
import WireFormats

/// Tries single records and exchanges on a handler. Each case begins with an empty memory and leaves no trace
/// in the next.
struct Interpreter<P: WorkerProgram> {
    let program: LoadedProgram<P>
    let reveal: Bool

    /// Returns the verdict on an exchange as a line of JSON, or the plan if the record needs no call.
    ///
    /// - Throws: `ValidationError` for a place that the worker does not know.
    func verdict(
        on exchange: Exchange,
        of value: [UInt8],
        _ attempt: Attempt,
        at place: CasePlace = CasePlace()
    ) throws -> String {
        let handler = self.program.handler
        let record = PlainRecord.make(value, topic: self.program.settings.engine.inputTopic, attempt)
        var memory = handler.emptyMemory
        let plan = handler.plan(record, attempt, with: &memory)
        guard case .call(let call) = plan else { return self.text(of: plan.erased(), record, attempt) }
        guard let job = P.placed(call.job, at: place) else {
            throw ValidationError("the worker knows no such host, or none at all")
        }
        let verdict = handler.interpret(exchange, of: job, attempt, with: &memory)
        return self.line(verdict.erased(), record, at: attempt).text
    }

    /// Returns a line of JSON: the request that would be sent for a record, or the verdict that settles it
    /// without a call.
    func plan(of record: InboundRecord, _ attempt: Attempt) -> String {
        let handler = self.program.handler
        let skip = self.program.settings.engine.skip
        if let reason = skip.reasonToSkip(record, reading: { handler.object(in: $0) }) {
            return self.line(.refuse(reason, nil), record, at: attempt).text
        }
        var memory = handler.emptyMemory
        let plan = handler.plan(record, attempt, with: &memory)
        return self.text(of: plan.erased(), record, attempt)
    }

    private func text(of plan: ErasedHandler.AnyPlan, _ record: InboundRecord, _ attempt: Attempt) -> String {
        switch plan {
        case .call(let call): self.line(of: call)
        case .answer(let answer): self.line(.answer(answer), record, at: attempt).text
        case .refuse(let reason, let answer): self.line(.refuse(reason, answer), record, at: attempt).text
        case .reject(let rejection): self.line(.reject(rejection), record, at: attempt).text
        }
    }

    private func line(of call: Call<any Sendable>) -> String {
        requestLine(self.reveal ? call.request : P.masked(call.request), lane: call.lane)
    }

    private func line(_ verdict: ErasedHandler.AnyVerdict, _ record: InboundRecord, at attempt: Attempt)
        -> VerdictLine
    {
        switch verdict {
        case .answer(let answer):
            return VerdictLine(
                verdict: "answer",
                fate: .succeeded,
                result: self.result(.succeeded, nil, answer: answer, of: record, attempt: attempt)
            )
        case .refuse(let reason, let answer), .refuseInDoubt(let reason, let answer):
            return VerdictLine(
                verdict: "reject",
                reason: reason,
                fate: .rejected,
                result: self.result(.rejected, reason, answer: answer, of: record, attempt: attempt)
            )
        case .call(let call): return VerdictLine(verdict: "call", request: self.line(of: call))
        case .retry(let retry):
            return VerdictLine(
                verdict: "retry",
                reason: retry.reason,
                afterMilliseconds: retry.after?.wholeMilliseconds
            )
        case .giveUp(let retry, let answer):
            return VerdictLine(
                verdict: "reject",
                reason: retry.reason,
                fate: .rejected,
                result: self.result(.rejected, retry.reason, answer: answer, of: record, attempt: attempt)
            )
        case .reject(let rejection):
            return VerdictLine(
                verdict: "reject",
                reason: rejection.reason,
                fate: .deadLettered,
                kind: rejection.kind
            )
        case .hold(let reason, let scope):
            return VerdictLine(verdict: "hold", reason: reason, scope: scope == .lane ? "lane" : "upstream")
        }
    }

    private func result(
        _ fate: Outcome.Fate,
        _ reason: Reason?,
        answer: (any Sendable)?,
        of record: InboundRecord,
        attempt: Attempt
    ) -> String {
        let outcome = Outcome(
            topic: record.topic,
            partition: record.partition,
            offset: record.offset,
            fate: fate,
            reason: reason,
            attempts: attempt.number,
            deadLetterID: nil,
            receivedAt: attempt.now,
            settledAt: attempt.now,
            worker: P.identity.name,
            workerVersion: WorkerIdentity.version
        )
        return String(
            decoding: ErasedHandler(self.program.handler).encode(outcome, answer, .json),
            as: UTF8.self
        )
    }
}
