import UpstreamHTTP
package import WireFormats
package import WorkerKit

// This file turns answers of GDT into verdicts. GDT gives its answer in `ret`, not in the HTTP status. GDT
// documents only a few codes. Any other answer counts as a failure that may pass, and if it does not pass, as
// a fault of our configuration: a single record with such an answer becomes a dead letter, and if all records
// of a lane get it, the lane is held.
extension ActivationHandler {
    /// Decides what the result of a call means for its record: an answer, a retry, a refusal, a dead letter
    /// or a hold.
    package func interpret(
        _ exchange: Exchange,
        of job: Activation,
        _ attempt: Attempt,
        with memory: inout NoMemory
    ) -> Verdict<Activation, ActivationAnswer> {
        var attempt = attempt
        // The failures of a callback say nothing of the report in its place.
        if job.reportName != nil, job.callback == nil, attempt.failures >= self.callbackTries {
            attempt.failures -= self.callbackTries
        }
        if let way = self.marketing.way(of: job) {
            return self.interpret(exchange, of: job, attempt, on: way)
        }
        switch exchange {
        // If the outcome of a call is unknown, GDT may count a repetition twice; without a repetition, a
        // conversion that was paid for may be lost. The call is repeated. The copies are identical, conv_time
        // included, so that GDT can recognise them.
        case .failure(let error), .ambiguous(let error):
            return .retry(Retry(error.reason, blame: .upstream))
        case .response(let response) where (200...299).contains(response.status):
            guard let reply = GDTReply(response.body) else {
                let reason = Reason("gdt.not_an_answer", "The response holds no answer of GDT.")
                return .retry(Retry(reason, blame: .upstream))
            }
            return self.verdict(on: reply, response, of: job, at: attempt)
        case .response(let response):
            return self.verdict(onStatusOf: response, attempt, of: "GDT")
        }
    }

    /// Decides about an answer of GDT by its code.
    private func verdict(
        on reply: GDTReply,
        _ response: HTTPResponse,
        of job: Activation,
        at attempt: Attempt
    ) -> Verdict<Activation, ActivationAnswer> {
        let gdt = GDTAnswer(
            reply,
            httpStatus: response.status,
            to: job,
            keys: self.reports.report(of: job.account)?.keys
        )
        let answer = Self.answer(to: job, gdt)
        let reason = reply.reason
        switch reply.ret {
        case 0:
            return .answer(answer)
        case -1:
            return .reject(Rejection(reason, kind: .rejected, replayable: .afterFix))
        case -2, -3, -13:
            return .reject(
                Rejection(reason, kind: .rejected, replayable: .afterFix, suggestsConfigurationFault: true)
            )
        case -12, -17:
            // GDT gives the same code for an account that does not exist and for a failure of its own store,
            // so the call is repeated a few times before the lane is held.
            if attempt.failures + 1 < self.configurationAttemptsLimit {
                return .retry(Retry(reason, blame: .record))
            }
            return .hold(reason, scope: .lane)
        case -14:
            let wait = Duration.seconds(job.convertedAt) - .milliseconds(attempt.now)
            // A conversion in the future becomes valid with time, because only the device's clock is ahead.
            // An old conversion only gets older.
            return wait > .zero
                ? .retry(Retry(reason, blame: .record, after: wait + .seconds(1)))
                : .refuse(reason, answer)
        case -15:
            return .refuse(reason, answer)
        default:
            let reason = reply.undocumentedReason(saying: gdt.message)
            if attempt.failures + 1 < self.configurationAttemptsLimit {
                return .retry(Retry(reason, blame: .record))
            }
            return .reject(
                Rejection(reason, kind: .exhausted, replayable: .yes, suggestsConfigurationFault: true)
            )
        }
    }

    /// Decides about a response whose status is not 2xx.
    func verdict(
        onStatusOf response: HTTPResponse,
        _ attempt: Attempt,
        of upstream: String
    ) -> Verdict<Activation, ActivationAnswer> {
        let reason = Reason.status(response.status, of: upstream)
        let delay = response.header("retry-after").flatMap { RetryAfter.delay($0, now: attempt.now) }
        switch response.status {
        case 400, 413, 414, 422, 431:
            // The status is about the content of the request. If a run of records gets it, the engine takes
            // it for a fault of the configuration and holds the lane.
            return .reject(
                Rejection(reason, kind: .rejected, replayable: .afterFix, suggestsConfigurationFault: true)
            )
        case 407, 421, 426:
            // A proxy on the way to GDT gives these statuses. It knows no accounts, so the whole upstream is held, unless
            // other routes have upstreams of their own.
            return .hold(reason, scope: self.endpoints.count > 1 ? .lane : .upstream)
        case 408, 425, 429, ..<300, 500...,
            300...399 where delay != nil:
            let isForEverybody = delay != nil && [429, 503].contains(response.status)
            return .retry(Retry(reason, blame: .upstream, after: delay, gatesUpstream: isForEverybody))
        default:
            // A wrong path, a redirect or a block is not about this record. The path names the app, so the
            // fault may concern one account only, and only its lane is held. If the fault concerns all
            // accounts, each lane is held in turn.
            if attempt.holds + 1 < self.configurationAttemptsLimit { return .hold(reason, scope: .lane) }
            // A held lane does not try its records. If this record is tried again, other records of the lane
            // were answered, so the record itself is the cause.
            return .reject(
                Rejection(reason, kind: .rejected, replayable: .afterFix, suggestsConfigurationFault: true)
            )
        }
    }
}

extension Reason {
    /// The reason for a status. The code becomes a label of a metric, so only real status codes are named:
    /// GDT must not be able to invent labels.
    fileprivate static func status(_ status: Int, of upstream: String) -> Reason {
        let code = (100...599).contains(status) ? "http.\(status)" : "http.other"
        return Reason(code, "\(upstream) answered with HTTP status \(status).")
    }
}

extension GDTReply {
    /// The reason for a documented code. GDT's own message is in the answer.
    fileprivate var reason: Reason {
        Reason(self.code, self.meaning)
    }

    /// The reason for a code that GDT does not document. It quotes GDT's message, as far as that may be
    /// shown, because only GDT knows the meaning.
    fileprivate func undocumentedReason(saying words: String) -> Reason {
        let quote = words.isEmpty ? "without a word" : "saying: \(words)"
        return Reason(self.code, "GDT answered with \(self.ret), which it does not document, \(quote)")
    }

    /// The code for metrics and results. Codes of an unusual size are not named: GDT must not be able to
    /// invent labels.
    private var code: String {
        (-99...99).contains(self.ret) ? "gdt.\(self.ret)" : "gdt.other"
    }

    private var meaning: String {
        switch self.ret {
        case 0: "Accepted."
        case -1: "GDT calls a request parameter illegal."
        case -2: "GDT could not parse the parameters: a wrong key, or a wrong signature."
        case -3: "GDT could not decode the parameters: a wrong encrypt key."
        case -12: "GDT could not fetch the keys of the app and advertiser."
        case -13: "GDT calls the app type illegal."
        case -14: "GDT calls the time of the conversion illegal."
        case -15: "GDT calls the muid illegal."
        case -17: "GDT could not fetch the rule for the conversion."
        default: "GDT answered with a code that it does not document."
        }
    }
}
