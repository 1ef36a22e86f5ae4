import UpstreamHTTP
package import WireFormats
package import WorkerKit

// GDT says what it means in `ret`, not in the HTTP status. Its list of codes is short, and nothing is documented
// beyond it: what is unknown is taken for a failure that may pass, and if it does not, for a fault of our
// configuration. One record that meets it alone becomes a dead letter; when all of a lane do, the lane is held.
extension ActivationHandler {
    package func interpret(
        _ exchange: Exchange,
        of job: Activation,
        _ attempt: Attempt
    ) -> Verdict<Activation, ActivationAnswer> {
        switch exchange {
        // After an unknown outcome a repeat may be counted twice, and giving up may lose a conversion that was paid
        // for. Copies are identical, conv_time included, so that whoever counts can tell; so it is asked again.
        case .failure(let error), .ambiguous(let error):
            return .retry(Retry(error.reason, blame: .upstream))
        case .response(let response) where (200...299).contains(response.status):
            guard let reply = GDTReply(response.body) else {
                let reason = Reason("gdt.not_an_answer", "The response holds no answer of GDT.")
                return .retry(Retry(reason, blame: .upstream))
            }
            return self.verdict(on: reply, response, job, attempt)
        case .response(let response):
            return self.verdict(onStatusOf: response, attempt)
        }
    }

    private func verdict(
        on reply: GDTReply,
        _ response: HTTPResponse,
        _ job: Activation,
        _ attempt: Attempt
    ) -> Verdict<Activation, ActivationAnswer> {
        let keys = self.reports.report(of: job.account)?.keys
        let gdt = GDTAnswer(reply, httpStatus: response.status, to: job, keys: keys)
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
            // GDT says the same of an account that does not exist and of a store that is down.
            if attempt.failures + 1 < self.configurationAttemptsLimit {
                return .retry(Retry(reason, blame: .record))
            }
            return .hold(reason, scope: .lane)
        case -14:
            let wait = Duration.seconds(job.convertedAt) - .milliseconds(attempt.now)
            // A device's clock that runs ahead cures itself; an old conversion only gets older.
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

    private func verdict(
        onStatusOf response: HTTPResponse,
        _ attempt: Attempt
    ) -> Verdict<Activation, ActivationAnswer> {
        let reason = Reason.status(response.status)
        let delay = response.header("retry-after").flatMap { RetryAfter.delay($0, now: attempt.now) }
        switch response.status {
        case 400, 413, 414, 422, 431:
            // About what was sent. Were all of them refused so, it would be about where.
            return .reject(
                Rejection(reason, kind: .rejected, replayable: .afterFix, suggestsConfigurationFault: true)
            )
        case 407, 421, 426:
            // Somebody on the way to GDT, who knows nothing of accounts.
            return .hold(reason, scope: .upstream)
        case 408, 425, 429, ..<300, 500...,
            300...399 where delay != nil:
            let isForEverybody = delay != nil && [429, 503].contains(response.status)
            return .retry(Retry(reason, blame: .upstream, after: delay, gatesUpstream: isForEverybody))
        default:
            // A wrong path, a redirect, a block: nothing of it is about this record. The path names the app, so it
            // may be about the account alone, and its lane is held; where it is about all of them, all lanes are.
            if attempt.number < self.configurationAttemptsLimit { return .hold(reason, scope: .lane) }
            // A held lane keeps the record still. Only where the others of its lane are answered, it is the record.
            return .reject(
                Rejection(reason, kind: .rejected, replayable: .afterFix, suggestsConfigurationFault: true)
            )
        }
    }
}

extension Reason {
    /// The upstream must not choose our labels: codes are of the numbers that there are.
    fileprivate static func status(_ status: Int) -> Reason {
        let code = (100...599).contains(status) ? "http.\(status)" : "http.other"
        return Reason(code, "GDT answered with HTTP status \(status).")
    }
}

extension GDTReply {
    /// What the code means. GDT's own words go into the answer.
    fileprivate var reason: Reason {
        Reason(self.code, self.meaning)
    }

    /// Nobody but GDT knows what its code means, so its words, as far as they may be shown, are all there is to go by.
    fileprivate func undocumentedReason(saying words: String) -> Reason {
        let quote = words.isEmpty ? "without a word" : "saying: \(words)"
        return Reason(self.code, "GDT answered with \(self.ret), which it does not document, \(quote)")
    }

    /// The upstream must not choose our labels: codes are of the size that GDT's are.
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
