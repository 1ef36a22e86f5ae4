import Operations
package import Records
package import ServiceLifecycle
import UpstreamHTTP
package import WireFormats
package import WorkerKit

/// The handler that posts batches of accepted arrivals, unchanged, to a statistics endpoint.
///
/// Every post of a batch carries the same `Idempotency-Key`, so that an endpoint that checks the key counts
/// the batch once.
package struct PushForwardHandler: Handler {
    /// The endpoint; nil only if the settings are wrong, and then the handler gets no records.
    let url: BaseURL?
    /// The bearer token of the endpoint; nil if it needs none.
    let token: WatchedSecret?

    /// The number of arrivals in the record.
    package typealias Job = Int

    /// Returns the watch of the file with the token, if there is one.
    package func companions(_ instruments: Instruments) -> [any Service] {
        let file = self.token?.file(of: ["setting": "forward.token"])
        return SecretFileWatch.services([file].compactMap(\.self), instruments.logger)
    }

    package func plan(
        _ record: InboundRecord,
        _ attempt: Attempt,
        with memory: inout NoMemory
    ) -> Plan<Int, PushForwardAnswer> {
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
        if let token = self.token?.current {
            headers.append(HTTPHeader("Authorization", "Bearer \(token.reveal())"))
        }
        let request = HTTPRequest(
            method: .post,
            url: self.url?.text ?? "",
            headers: headers,
            body: record.value ?? []
        )
        // The receiver recognises a repeat by its key.
        return .call(Call(request, for: arrivals, lane: "statistics", isRepeatable: true))
    }

    package func interpret(
        _ exchange: Exchange,
        of job: Int,
        _ attempt: Attempt,
        with memory: inout NoMemory
    ) -> Verdict<Int, PushForwardAnswer> {
        switch exchange {
        case .failure(let error), .ambiguous(let error):
            return .retry(Retry(error.reason, blame: .upstream))
        case .response(let response):
            guard (200...299).contains(response.status) else { return self.verdict(on: response, attempt) }
            return .answer(PushForwardAnswer(arrivals: job, httpStatus: response.status))
        }
    }

    /// Returns the verdict on a response whose status is not 2xx.
    private func verdict(on response: HTTPResponse, _ attempt: Attempt) -> Verdict<Int, PushForwardAnswer> {
        // The code becomes a label of a metric. The endpoint must not be able to invent labels, so only real
        // status codes are named.
        let code = (100...599).contains(response.status) ? "http.\(response.status)" : "http.other"
        let reason = Reason(code, "The statistics endpoint answered with HTTP status \(response.status).")
        let delay = response.header("retry-after").flatMap { RetryAfter.delay($0, now: attempt.now) }
        switch response.status {
        case 400, 413, 422:
            // The status is about the content of the batch. If a run of batches gets it, the engine takes it
            // for a fault of the configuration and holds the lane.
            return .reject(
                Rejection(reason, kind: .rejected, replayable: .afterFix, suggestsConfigurationFault: true)
            )
        case 408, 425, 429, 500...:
            let isForEverybody = delay != nil && [429, 503].contains(response.status)
            return .retry(Retry(reason, blame: .upstream, after: delay, gatesUpstream: isForEverybody))
        default:
            // A wrong path, a wrong token or a redirect: the fault is in the settings and not in this batch.
            return .hold(reason, scope: .upstream)
        }
    }

    package var resultPlace: Int { PushForwardResult.place }

    package func encode(_ outcome: Outcome, _ answer: PushForwardAnswer?, as format: ValueFormat) -> [UInt8] {
        PushForwardResult.encode(outcome, answer, as: format)
    }
}
