import Operations
import Records
import UpstreamHTTP
import WireFormats
import WorkerKit

/// Posts batches of accepted arrivals, as they are, to a statistics endpoint.
///
/// A batch carries the same `Idempotency-Key` every time it is posted, so that an endpoint that looks at it counts it
/// once.
struct PushForwardHandler: Handler {
    /// Nil if the settings are wrong, and then no record ever comes.
    let url: BaseURL?
    let token: Secret?

    /// How many arrivals a record has.
    typealias Job = Int

    func plan(_ record: InboundRecord, _ attempt: Attempt) -> Plan<Int, PushForwardAnswer> {
        let arrivals: Int
        do throws(RecordFault) {
            arrivals = try PushForwardBatch.count(in: record)
        } catch {
            return .reject(Rejection(error.reason, kind: error.kind, replayable: .no))
        }
        var headers = [
            HTTPHeader("Content-Type", "application/json"),
            HTTPHeader("Idempotency-Key", "\(record.topic)/\(record.partition)/\(record.offset)"),
        ]
        if let token = self.token { headers.append(HTTPHeader("Authorization", "Bearer \(token.reveal())")) }
        let request = HTTPRequest(
            method: .post,
            url: self.url?.text ?? "",
            headers: headers,
            body: record.value ?? []
        )
        return .call(Call(request, for: arrivals, lane: "statistics"))
    }

    func interpret(
        _ exchange: Exchange,
        of job: Int,
        _ attempt: Attempt
    ) -> Verdict<Int, PushForwardAnswer> {
        switch exchange {
        case .failure(let error), .ambiguous(let error):
            return .retry(Retry(error.reason, blame: .upstream))
        case .response(let response):
            guard (200...299).contains(response.status) else { return self.verdict(on: response, attempt) }
            return .answer(PushForwardAnswer(arrivals: job, httpStatus: response.status))
        }
    }

    private func verdict(on response: HTTPResponse, _ attempt: Attempt) -> Verdict<Int, PushForwardAnswer> {
        // The endpoint must not choose our labels: codes are of the numbers that there are.
        let code = (100...599).contains(response.status) ? "http.\(response.status)" : "http.other"
        let reason = Reason(code, "The statistics endpoint answered with HTTP status \(response.status).")
        let delay = response.header("retry-after").flatMap { RetryAfter.delay($0, now: attempt.now) }
        switch response.status {
        case 400, 413, 422:
            // About what was sent. Were all of them refused so, it would be about where.
            return .reject(
                Rejection(reason, kind: .rejected, replayable: .afterFix, suggestsConfigurationFault: true)
            )
        case 408, 425, 429, 500...:
            let isForEverybody = delay != nil && [429, 503].contains(response.status)
            return .retry(Retry(reason, blame: .upstream, after: delay, gatesUpstream: isForEverybody))
        default:
            // A wrong path, a wrong token, a redirect: nothing of it is about this batch.
            return .hold(reason, scope: .upstream)
        }
    }

    func encode(_ outcome: Outcome, _ answer: PushForwardAnswer?, as format: ValueFormat) -> [UInt8] {
        PushForwardResult.encode(outcome, answer, as: format)
    }
}
