import UpstreamHTTP
package import WireFormats
package import WorkerKit

// GDT says what it means in `ret`, not in the HTTP status. Its list of codes is short, and nothing is documented
// beyond it: what is unknown is taken for a failure that may pass.
extension ActivationHandler {
    package func interpret(
        _ exchange: Exchange,
        of job: Activation,
        _ attempt: Attempt
    ) -> Verdict<Activation, ActivationAnswer> {
        switch exchange {
        case .failure(let error):
            return .retry(Retry(error.reason, blame: .upstream))
        case .response(let response) where (200...299).contains(response.status):
            guard let reply = GDTReply(response.body) else {
                let reason = Reason("gdt.not_an_answer", "The response holds no answer of GDT.")
                return .retry(Retry(reason, blame: .upstream))
            }
            return self.verdict(on: reply, response, job, attempt)
        case .response(let response):
            return Self.verdict(onStatusOf: response, attempt)
        }
    }

    private func verdict(
        on reply: GDTReply,
        _ response: HTTPResponse,
        _ job: Activation,
        _ attempt: Attempt
    ) -> Verdict<Activation, ActivationAnswer> {
        let answer = Self.answer(to: job, GDTAnswer(reply, httpStatus: response.status, to: job))
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
            if attempt.number < self.configurationAttemptsLimit {
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
            return .retry(Retry(reason, blame: .record))
        }
    }

    private static func verdict(
        onStatusOf response: HTTPResponse,
        _ attempt: Attempt
    ) -> Verdict<Activation, ActivationAnswer> {
        let status = response.status
        let reason = Reason("http.\(status)", "GDT answered with HTTP status \(status).")
        let mayPass = [408, 425, 429].contains(status) || !(400...499).contains(status)
        guard mayPass else {
            return .reject(Rejection(reason, kind: .rejected, replayable: .afterFix))
        }
        let delay = response.header("retry-after").flatMap { RetryAfter.delay($0, now: attempt.now) }
        let isForEverybody = delay != nil && (status == 429 || status == 503)
        return .retry(Retry(reason, blame: .upstream, after: delay, gatesUpstream: isForEverybody))
    }
}

extension TransferError {
    /// Whether GDT may have counted the conversion all the same is a part of the code.
    fileprivate var reason: Reason {
        let suffix = self.mayHaveBeenSent ? "_after_send" : ""
        return Reason("transport.\(self.kind.rawValue)\(suffix)", self.message)
    }
}

extension GDTReply {
    /// GDT's own words are not quoted: they may hold what it was sent.
    fileprivate var reason: Reason {
        Reason("gdt.\(self.ret)", self.meaning)
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
