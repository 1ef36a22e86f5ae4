import Records
import Simulation
import UpstreamHTTP
import WireFormats
import WorkerKit

/// A handler as the simulation can judge it: its requests say which record they are for, and its outcomes are
/// in the simulation's own form.
struct RehearsedHandler<Base: Handler>: Handler {
    /// A job of the handler, with its record.
    struct Job: Sendable {
        var job: Base.Job
        var record: InboundRecord
    }

    /// An answer of the handler, with its record.
    struct Answer: Sendable {
        var answer: Base.Answer?
        var record: InboundRecord
    }

    let base: Base

    var emptyMemory: Base.Memory { self.base.emptyMemory }

    func plan(_ record: InboundRecord, _ attempt: Attempt, with memory: inout Base.Memory) -> Plan<
        Job, Answer
    > {
        func wrapped(_ answer: Base.Answer?) -> Answer { Answer(answer: answer, record: record) }
        switch self.base.plan(record, attempt, with: &memory) {
        case .call(let call): return .call(Self.marked(call, of: record, isFollowUp: false))
        case .answer(let answer): return .answer(wrapped(answer))
        case .refuse(let reason, let answer): return .refuse(reason, wrapped(answer))
        case .reject(let rejection): return .reject(rejection)
        }
    }

    func interpret(
        _ exchange: Exchange,
        of job: Job,
        _ attempt: Attempt,
        with memory: inout Base.Memory
    ) -> Verdict<Job, Answer> {
        func wrapped(_ answer: Base.Answer?) -> Answer { Answer(answer: answer, record: job.record) }
        switch self.base.interpret(exchange, of: job.job, attempt, with: &memory) {
        case .answer(let answer): return .answer(wrapped(answer))
        case .refuse(let reason, let answer): return .refuse(reason, wrapped(answer))
        case .refuseInDoubt(let reason, let answer): return .refuseInDoubt(reason, wrapped(answer))
        case .call(let call): return .call(Self.marked(call, of: job.record, isFollowUp: true))
        case .retry(let retry): return .retry(retry)
        case .giveUp(let retry, let answer): return .giveUp(retry, wrapped(answer))
        case .reject(let rejection): return .reject(rejection)
        case .hold(let reason, let scope): return .hold(reason, scope: scope)
        }
    }

    private static func marked(
        _ call: Call<Base.Job>,
        of record: InboundRecord,
        isFollowUp: Bool
    ) -> Call<Job> {
        let lane = call.lane
        let content: Call<Job>.Content =
            switch call.content {
            case .request(let request):
                .request(RecordMark.added(to: request, of: record, lane: lane, isFollowUp: isFollowUp))
            case .part(let part):
                .part(RecordMark.added(to: part, of: record, lane: lane, isFollowUp: isFollowUp))
            }
        return Call(
            content,
            for: Job(job: call.job, record: record),
            lane: lane,
            isPerishable: call.isPerishable,
            isSecondTry: call.isSecondTry
        )
    }

    /// Encodes the outcome in the simulation's own form, with the number of records for channels as the answer.
    func encode(_ outcome: Outcome, _ answer: Answer?, as format: ValueFormat) -> [UInt8] {
        // The handler's own encoding is not judged, but it must not end the process.
        _ = self.base.encode(outcome, answer?.answer, as: format)
        let count = answer.map { self.base.channelRecords(for: $0.record, outcome, $0.answer).count }
        return SimulatedOutcome(outcome, count.map { String($0) }).encoded
    }

    func unknownFields(in record: InboundRecord) -> UnknownFields? { self.base.unknownFields(in: record) }

    func object(in record: InboundRecord) -> JSONObject? { self.base.object(in: record) }

    func expired(_ record: InboundRecord, _ attempt: Attempt) -> Answer? {
        Answer(answer: self.base.expired(record, attempt), record: record)
    }

    var channelTopics: [String] { self.base.channelTopics }

    func channelRecords(for record: InboundRecord, _ outcome: Outcome, _ answer: Answer?) -> [OutboundRecord]
    {
        self.base.channelRecords(for: record, outcome, answer?.answer)
    }

    var settled: (@Sendable (InboundRecord, Outcome) -> Void)? { self.base.settled }
}
