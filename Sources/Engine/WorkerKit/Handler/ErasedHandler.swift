package import Records
package import ServiceLifecycle
package import WireFormats

/// A handler with its own types hidden, so that the engine is compiled once and not for each worker.
///
/// The members are those of `Handler`, with `any Sendable` in place of its jobs and answers.
package struct ErasedHandler: Sendable {
    /// A plan of any handler.
    package typealias AnyPlan = Plan<any Sendable, any Sendable>
    /// A verdict of any handler.
    package typealias AnyVerdict = Verdict<any Sendable, any Sendable>

    package let plan: @Sendable (InboundRecord, Attempt) -> AnyPlan
    package let interpret: @Sendable (Exchange, any Sendable, Attempt) -> AnyVerdict
    package let encode: @Sendable (Outcome, (any Sendable)?, ValueFormat) -> [UInt8]
    package let expired: @Sendable (InboundRecord, Attempt) -> (any Sendable)?
    package let smaller: @Sendable (any Sendable) -> (any Sendable)?
    package let endpoints: [UpstreamEndpoint]
    package let companions: @Sendable (Surroundings) -> [any Service]

    /// Hides the types of a handler. To pass `interpret` the job of another handler is a mistake of the
    /// program, which ends it.
    package init<H: Handler>(_ handler: H) {
        self.plan = { record, attempt in handler.plan(record, attempt).erased() }
        self.interpret = { exchange, job, attempt in
            guard let job = job as? H.Job else { preconditionFailure("a job of another handler") }
            return handler.interpret(exchange, of: job, attempt).erased()
        }
        self.expired = { record, attempt in handler.expired(record, attempt) }
        self.smaller = { answer in (answer as? H.Answer).flatMap { handler.smaller($0) } }
        self.endpoints = handler.endpoints
        self.companions = { surroundings in handler.companions(surroundings) }
        self.encode = { outcome, answer, format in
            handler.encode(outcome, answer.flatMap { $0 as? H.Answer }, as: format)
        }
    }
}

extension Plan {
    fileprivate func erased() -> ErasedHandler.AnyPlan {
        switch self {
        case .call(let call): .call(call.erased())
        case .answer(let answer): .answer(answer)
        case .refuse(let reason, let answer): .refuse(reason, answer)
        case .reject(let rejection): .reject(rejection)
        }
    }
}

extension Verdict {
    fileprivate func erased() -> ErasedHandler.AnyVerdict {
        switch self {
        case .answer(let answer): .answer(answer)
        case .refuse(let reason, let answer): .refuse(reason, answer)
        case .call(let call): .call(call.erased())
        case .retry(let retry): .retry(retry)
        case .giveUp(let retry, let answer): .giveUp(retry, answer)
        case .reject(let rejection): .reject(rejection)
        case .hold(let reason, let scope): .hold(reason, scope: scope)
        }
    }
}

extension Call {
    fileprivate func erased() -> Call<any Sendable> {
        Call<any Sendable>(
            self.request,
            for: self.job,
            lane: self.lane,
            endpoint: self.endpoint,
            isPerishable: self.isPerishable,
            isSecondTry: self.isSecondTry
        )
    }
}
