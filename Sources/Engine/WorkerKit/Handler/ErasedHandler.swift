package import Records
package import ServiceLifecycle
package import WireFormats

/// A handler with its own types hidden, so that the engine is compiled once and not for each worker.
///
/// The members are those of `Handler`, with `any Sendable` in place of its jobs and answers, and a
/// `HandlerMemory` in place of its memory.
package struct ErasedHandler: Sendable {
    /// A plan of any handler.
    package typealias AnyPlan = Plan<any Sendable, any Sendable>
    /// A verdict of any handler.
    package typealias AnyVerdict = Verdict<any Sendable, any Sendable>

    package let encode: @Sendable (Outcome, (any Sendable)?, ValueFormat) -> [UInt8]
    package let resultPlace: Int
    package let expired: @Sendable (InboundRecord, Attempt) -> (any Sendable)?
    package let unknownFields: @Sendable (InboundRecord) -> UnknownFields?
    package let object: @Sendable (InboundRecord) -> JSONObject?
    package let smaller: @Sendable (any Sendable) -> (any Sendable)?
    package let channelTopics: [String]
    package let channelRecords: @Sendable (InboundRecord, Outcome, (any Sendable)?) -> [OutboundRecord]
    package let settled: (@Sendable (InboundRecord, Outcome) -> Void)?
    package let endpoints: [UpstreamEndpoint]
    package let companions: @Sendable (Instruments) -> [any Service]
    /// Makes an empty memory for one engine.
    package let emptyMemory: @Sendable () -> HandlerMemory
    private let planning: @Sendable (InboundRecord, Attempt, HandlerMemory) -> AnyPlan
    private let interpreting: @Sendable (Exchange, any Sendable, Attempt, HandlerMemory) -> AnyVerdict

    /// Hides the types of a handler.
    package init<H: Handler>(_ handler: H) {
        self.emptyMemory = { TypedMemory(handler.emptyMemory) }
        self.planning = { record, attempt, memory in
            let plan = handler.plan(record, attempt, with: &TypedMemory<H.Memory>.of(memory).value)
            if case .call(let call) = plan { handler.callPlanned(for: call.job, attempt) }
            return plan.erased()
        }
        self.interpreting = { exchange, job, attempt, memory in
            guard let job = job as? H.Job else { preconditionFailure("a job of another handler") }
            let memory = TypedMemory<H.Memory>.of(memory)
            return handler.interpret(exchange, of: job, attempt, with: &memory.value).erased()
        }
        self.resultPlace = handler.resultPlace
        self.expired = { record, attempt in handler.expired(record, attempt) }
        self.unknownFields = { record in handler.unknownFields(in: record) }
        self.object = { record in handler.object(in: record) }
        self.smaller = { answer in (answer as? H.Answer).flatMap { handler.smaller($0) } }
        self.channelTopics = handler.channelTopics
        self.channelRecords = { record, outcome, answer in
            handler.channelRecords(for: record, outcome, answer.flatMap { $0 as? H.Answer })
        }
        self.settled = handler.settled
        self.endpoints = handler.endpoints
        self.companions = { instruments in handler.companions(instruments) }
        self.encode = { outcome, answer, format in
            handler.encode(outcome, answer.flatMap { $0 as? H.Answer }, as: format)
        }
    }

    /// Plans a record, and tells the handler if the plan is a call. To pass the memory of another handler is
    /// a mistake of the program, which ends it.
    package func plan(_ record: InboundRecord, _ attempt: Attempt, with memory: HandlerMemory) -> AnyPlan {
        self.planning(record, attempt, memory)
    }

    /// Interprets the result of a call. To pass the job or the memory of another handler is a mistake of the
    /// program, which ends it.
    package func interpret(
        _ exchange: Exchange,
        of job: any Sendable,
        _ attempt: Attempt,
        with memory: HandlerMemory
    ) -> AnyVerdict {
        self.interpreting(exchange, job, attempt, memory)
    }
}

/// The memory that one engine keeps for its handler, with its type hidden.
///
/// The memory is an object, so that a handler changes its value in place. Taken out of an `any Sendable` and
/// put back, the value would be copied with all that it holds at every change.
package class HandlerMemory {
    fileprivate init() {}
}

private final class TypedMemory<Memory: Sendable>: HandlerMemory {
    var value: Memory

    init(_ value: Memory) { self.value = value }

    static func of(_ memory: HandlerMemory) -> TypedMemory {
        guard let memory = memory as? TypedMemory else { preconditionFailure("a memory of another handler") }
        return memory
    }
}

extension Plan {
    /// Returns the plan with the types of its handler hidden.
    func erased() -> ErasedHandler.AnyPlan {
        switch self {
        case .call(let call): .call(call.with(call.job as any Sendable))
        case .answer(let answer): .answer(answer)
        case .refuse(let reason, let answer): .refuse(reason, answer)
        case .reject(let rejection): .reject(rejection)
        }
    }
}

extension Verdict {
    /// Returns the verdict with the types of its handler hidden.
    func erased() -> ErasedHandler.AnyVerdict {
        switch self {
        case .answer(let answer): .answer(answer)
        case .refuse(let reason, let answer): .refuse(reason, answer)
        case .refuseInDoubt(let reason, let answer): .refuseInDoubt(reason, answer)
        case .call(let call): .call(call.with(call.job as any Sendable))
        case .retry(let retry): .retry(retry)
        case .giveUp(let retry, let answer): .giveUp(retry, answer)
        case .reject(let rejection): .reject(rejection)
        case .hold(let reason, let scope): .hold(reason, scope: scope)
        }
    }
}
