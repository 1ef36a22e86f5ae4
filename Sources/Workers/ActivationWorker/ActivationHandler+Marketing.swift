import Records
import ServiceKit
import UpstreamHTTP
import WireFormats
import WorkerKit

// This file plans reports to Tencent's Marketing API and to callbacks of clicks, and turns their answers into
// verdicts. Tencent's answer is in `code`, and it is about a whole request, which the engine has split before
// it blames a record.
//
// A callback came with a click, through phones and networks. So whatever is wrong with it, or with the answer
// of its host, ends in a final outcome and never in a dead letter, and holds no lane.
extension ActivationHandler {
    /// Plans a conversion on a way to Tencent's living interfaces.
    ///
    /// - Parameter name: The `reportName` of its record.
    func plan(
        _ activation: Activation,
        named name: String,
        _ attempt: Attempt,
        on way: MarketingRoutes.Way
    ) -> Plan<Activation, ActivationAnswer> {
        let id = UserAction.id(of: activation, in: name)
        switch way {
        case .refused(let reason):
            return .refuse(reason, Self.answer(to: activation, on: .callback))
        case .report(let template, let account):
            let part = BatchPart(
                UserAction.json(of: activation, id: id),
                of: template,
                plannedAt: attempt.now
            )
            return .call(
                Call(
                    .part(part),
                    for: activation,
                    lane: account.lane,
                    endpoint: MarketingRoutes.endpoint
                )
            )
        case .callback(let template, let place):
            let part = BatchPart(
                UserAction.json(of: activation, id: id, for: .callback),
                of: template,
                plannedAt: attempt.now
            )
            var job = activation
            job.reportName = name
            return .call(Call(.part(part), for: job, lane: place.lane, endpoint: place.endpoint))
        }
    }

    /// Decides what the result of a call on such a way means for its record.
    func interpret(
        _ exchange: Exchange,
        of job: Activation,
        _ attempt: Attempt,
        on way: MarketingRoutes.Way
    ) -> Verdict<Activation, ActivationAnswer> {
        if case .failure(let error) = exchange, error.isNotReady {
            return .retry(.lane(Self.noToken, after: .seconds(5)))
        }
        switch way {
        case .report(_, let account):
            let answer = Self.answer(to: job, on: .marketing, after: exchange, token: account.token)
            let verdict = self.verdict(on: exchange, answer, attempt, token: account.token)
            let report = Self.inDoubt(verdict, on: exchange, answer)
            // The callback of the same conversion has failed before, so that our configuration is hardly at fault.
            if job.reportName != nil, case .refuseInDoubt(let reason, let answer) = report {
                return .refuse(reason, answer)
            }
            return report
        case .callback(let template, _):
            let answer = Self.answer(to: job, on: .callback, after: exchange, token: template.token)
            let verdict = self.verdict(on: exchange, answer, attempt, token: template.token)
            let final = self.final(verdict, answer, at: attempt, asked: exchange.delay(at: attempt.now))
            switch final {
            case .refuse: return self.report(insteadOf: job, attempt) ?? final
            case .retry(var retry)
            where attempt.failures + 1 >= self.callbackTries && self.withoutCallback(job) != nil:
                // The next call is the report, unless this failure is one of an outage, which does not count.
                if attempt.ambiguous == 0, !exchange.isAmbiguous { retry.after = nil }
                return .retry(retry)
            default: return final
            }
        case .refused(let reason): return .refuse(reason, Self.answer(to: job, on: .callback))
        }
    }

    /// Returns the call that reports a conversion as if it had no callback, in place of a refusal of its callback: a stranger
    /// may have chosen that, and must not cost the conversion. A host that has acted on an earlier call recognises the
    /// conversion by its id, and does not refuse it.
    ///
    /// - Returns: Nil if the app has no other route for this conversion.
    private func report(insteadOf job: Activation, _ attempt: Attempt)
        -> Verdict<Activation, ActivationAnswer>?
    {
        guard let name = job.reportName, let job = self.withoutCallback(job) else { return nil }
        let plan =
            self.marketing.way(of: job).map { self.plan(job, named: name, attempt, on: $0) }
            ?? self.reports.report(of: job.account).map { self.plan(job, by: $0) }
        guard case .call(let call)? = plan else { return nil }
        return .call(call)
    }

    /// Returns a conversion as it is reported after its callback has failed for long; nil as long as the callback is called.
    ///
    /// Where a call of the callback was lost, its host may have acted on it, and another interface would count the conversion
    /// again. A report that was lost is repeated, and does not bring the callback back.
    func reportAfterFailures(of activation: Activation, _ attempt: Attempt) -> Activation? {
        guard attempt.failures >= self.callbackTries,
            case .callback(_, let place)? = self.marketing.way(of: activation),
            let report = self.withoutCallback(activation)
        else { return nil }
        let wasReported = attempt.lastLane.map { $0 != place.lane } ?? false
        return attempt.ambiguous == 0 || wasReported ? report : nil
    }

    /// Returns a conversion as if it had no callback; nil if it has none, or the app has no other route for it.
    func withoutCallback(_ activation: Activation) -> Activation? {
        guard activation.callback != nil else { return nil }
        var rest = activation
        rest.callback = nil
        switch self.marketing.way(of: rest) {
        case .report: return rest
        case .callback, .refused: return nil
        case nil: return rest.hasMUID && self.reports.report(of: rest.account) != nil ? rest : nil
        }
    }

    /// Decides about the result of a call.
    ///
    /// - Parameter token: The token that the request carried; nil if it carried none.
    private func verdict(
        on exchange: Exchange,
        _ answer: ActivationAnswer,
        _ attempt: Attempt,
        token: AccessToken?
    ) -> Verdict<Activation, ActivationAnswer> {
        switch exchange {
        // The host is on our list, so its address is a matter of our own network or of its names.
        case .failure(let error) where error.kind == .address: return .hold(error.reason, scope: .lane)
        // A repeat carries the same `outer_action_id`, by which Tencent recognises it.
        case .failure(let error), .ambiguous(let error): return .retry(Retry(error.reason, blame: .upstream))
        case .response(let response):
            guard let reply = MarketingReply(answering: response) else {
                return self.verdict(onStatusOf: response, attempt)
            }
            return self.verdict(on: reply, answer, attempt, token: token)
        }
    }

    /// Decides about a response without a code of Tencent's.
    private func verdict(
        onStatusOf response: HTTPResponse,
        _ attempt: Attempt
    ) -> Verdict<Activation, ActivationAnswer> {
        guard !(200...299).contains(response.status) else {
            return .retry(Retry(Self.notAnAnswer, blame: .upstream))
        }
        let verdict = self.verdict(onStatusOf: response, attempt, of: "Tencent")
        // A limit is one of the account or the application, and other accounts go on.
        if response.status == 429, case .retry(let retry) = verdict {
            // A date that has passed names no time to wait.
            let pause = retry.after.flatMap { $0 > .zero ? $0 : nil }
            return .retry(.lane(retry.reason, after: pause ?? .seconds(60)))
        }
        return verdict
    }

    /// Returns the verdict on a report. A status that is about its content may come of a text that a phone chose, to which a
    /// filter on the way to Tencent objects: it makes no dead letter, and a run of them holds the lane.
    private static func inDoubt(
        _ verdict: Verdict<Activation, ActivationAnswer>,
        on exchange: Exchange,
        _ answer: ActivationAnswer
    ) -> Verdict<Activation, ActivationAnswer> {
        guard case .reject(let rejection) = verdict, case .response(let response) = exchange,
            [400, 403, 413, 414, 422, 431].contains(response.status)
        else { return verdict }
        return .refuseInDoubt(rejection.reason, answer)
    }

    /// Decides about an answer of Tencent by its code.
    private func verdict(
        on reply: MarketingReply,
        _ answer: ActivationAnswer,
        _ attempt: Attempt,
        token: AccessToken?
    ) -> Verdict<Activation, ActivationAnswer> {
        let reason = reply.reason
        switch reply.meaning {
        case .accepted: return .answer(answer)
        case .busy: return .retry(Retry(reason, blame: .upstream))
        case .expiredToken, .misconfigured:
            // A request without a token is one to a callback, whose path the upstream may not know.
            guard let token else { return .refuse(reason, answer) }
            // Anybody can write the callback of another advertiser, so this need not be about our token.
            guard answer.route != .callback else { return .retry(.lane(reason, after: .seconds(60))) }
            guard reply.meaning == .expiredToken, token.isRenewed else {
                return .hold(reason, scope: .lane)
            }
            token.hasExpired()
            return .retry(.lane(reason, after: .seconds(5)))
        case .limited(let period): return .retry(.lane(reason, after: period.pause(at: attempt.now)))
        // Nothing tells whether a phone chose the wrong parameter or we did. One such record is refused, and a
        // run of them holds the lane.
        case .badParameter: return .refuseInDoubt(reason, answer)
        case .undocumented:
            if attempt.failures + 1 < self.configurationAttemptsLimit {
                return .retry(Retry(reason, blame: .record))
            }
            return .refuseInDoubt(reason, answer)
        }
    }

    /// Returns the verdict on a callback: no dead letter, and no suspicion of our configuration because of a path
    /// or a parameter that a phone chose. No answer of the host holds a lane or asks everybody to wait: one about the
    /// account, or about the host, may come for this path only, so that its record waits alone, and not without end.
    ///
    /// A block and a page may come to everybody for a time, so that the record waits alone as well. A redirect and a wrong
    /// path are a matter of the callback's own address.
    ///
    /// - Parameter delay: The time for which the response asks to wait; nil if it names none.
    private func final(
        _ verdict: Verdict<Activation, ActivationAnswer>,
        _ answer: ActivationAnswer,
        at attempt: Attempt,
        asked delay: Duration?
    ) -> Verdict<Activation, ActivationAnswer> {
        switch verdict {
        case .reject(let rejection):
            return self.refused(rejection.reason, answer, at: attempt, asked: delay)
        // A failure of the transport says that our own network or names are at fault, and not the host's answer.
        case .hold(let reason, _) where !reason.code.hasPrefix("transport."):
            return self.refused(reason, answer, at: attempt, asked: delay)
        case .refuseInDoubt(let reason, let answer): return .refuse(reason, answer)
        case .retry(let retry): return self.alone(retry, answer, at: attempt)
        case .answer, .refuse, .call, .giveUp, .hold: return verdict
        }
    }

    /// Returns the verdict on a callback that its host, an edge before it or a proxy on the way has refused.
    private func refused(
        _ reason: Reason,
        _ answer: ActivationAnswer,
        at attempt: Attempt,
        asked delay: Duration?
    ) -> Verdict<Activation, ActivationAnswer> {
        guard Self.blocks.contains(reason.code) else { return .refuse(reason, answer) }
        return self.alone(.lane(reason, after: max(delay ?? .zero, .seconds(60))), answer, at: attempt)
    }

    /// Returns the verdict by which the record waits alone, for four hours at most, or is given up.
    ///
    /// Where all records of the account would have to wait, the pause doubles with each failure. Ten tries take some eight
    /// hours: a limit ends in that time, an operator can mend a token, and it costs little if a stranger has provoked
    /// them. A block and a page of any size are easily provoked by a path, so these ten tries take an hour.
    private func alone(
        _ retry: Retry,
        _ answer: ActivationAnswer,
        at attempt: Attempt
    ) -> Verdict<Activation, ActivationAnswer> {
        var alone = retry
        let code = retry.reason.code
        let isProvokedByAPath =
            retry.reason == Self.notAnAnswer || Self.blocks.contains(code)
            || ["transport.too_large", "transport.malformed"].contains { code.hasPrefix($0) }
        if retry.gatesLane || isProvokedByAPath {
            let pause = Duration.seconds(60) * (1 << min(attempt.failures, 8))
            alone.after = max(retry.after ?? .zero, isProvokedByAPath ? min(pause, .seconds(600)) : pause)
            alone.blame = .record
        }
        (alone.gatesLane, alone.gatesUpstream) = (false, false)
        alone.after = alone.after.map { min($0, .seconds(4 * 3_600)) }
        // Failures of an outage do not count, but the last one may be one.
        guard attempt.failures + 1 >= self.callbackAttemptsLimit else { return .retry(alone) }
        return .giveUp(alone, answer)
    }

    /// Refusals of the sender by a host, its edge or a proxy on the way.
    private static let blocks: Set<String> = [
        "http.401", "http.403", "http.407", "http.421", "http.426", "http.451",
    ]
    private static let notAnAnswer = Reason(
        "marketing.not_an_answer",
        "The response holds no answer of Tencent."
    )
    private static let noToken = Reason("marketing.no_token", "The account has no access token yet.")

    /// Returns the answer for a conversion on one of these ways, with the reply that its call has got.
    ///
    /// - Parameter token: The token that the request carried. It is masked in what Tencent says.
    static func answer(
        to activation: Activation,
        on route: ActivationRoute,
        after exchange: Exchange? = nil,
        token: AccessToken? = nil
    ) -> ActivationAnswer {
        var answer = self.answer(to: activation)
        answer.route = route
        if case .response(let response)? = exchange, let reply = MarketingReply(answering: response) {
            answer.marketing = MarketingAnswer(
                reply,
                httpStatus: response.status,
                to: activation,
                token: token?.bytes ?? []
            )
        }
        return answer
    }
}

extension Exchange {
    /// Whether the upstream may have acted although no answer has come.
    fileprivate var isAmbiguous: Bool {
        if case .ambiguous = self { true } else { false }
    }

    /// The time for which a response asks to wait; nil if it names none.
    fileprivate func delay(at now: Int64) -> Duration? {
        guard case .response(let response) = self else { return nil }
        return response.header("retry-after").flatMap { RetryAfter.delay($0, now: now) }
    }
}

extension MarketingReply {
    /// The reason for a code. Tencent's own message is in the answer.
    fileprivate var reason: Reason {
        // Codes of an unusual size are not named: nobody outside may invent labels of metrics.
        let code = (0...99_999).contains(self.code) ? "marketing.\(self.code)" : "marketing.other"
        return Reason(code, self.sentence)
    }

    private var sentence: String {
        switch self.meaning {
        case .accepted: "Accepted."
        case .busy: "Tencent is busy or under maintenance."
        case .expiredToken: "The access token has expired."
        case .limited: "The account has reached a limit on its requests."
        case .misconfigured: "Tencent does not accept the token, the right or the parameters of the request."
        case .badParameter: "Tencent calls a parameter of the action wrong."
        case .undocumented: "Tencent answered with a code that it does not document."
        }
    }
}

extension MarketingReply.Period {
    /// Returns how long an account waits after a limit. A limit of a minute is over after one to five, so the
    /// account is probed once a minute.
    fileprivate func pause(at now: Int64) -> Duration {
        switch self {
        case .second: .seconds(2)
        case .minute, .unknown: .seconds(60)
        case .day: TencentDay.rest(at: now)
        }
    }
}
