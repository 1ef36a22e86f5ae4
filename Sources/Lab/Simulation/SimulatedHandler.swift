package import Records
import ServiceKit
import UpstreamHTTP
package import WireFormats
package import WorkerKit

/// A handler whose records say in their value what they need. Each status code of its upstream stands for one
/// kind of verdict.
package struct SimulatedHandler: Handler {
    /// The endpoints of the upstream. Most records call the main endpoint. Others call the side endpoint, in
    /// their first or in a follow-up call.
    package enum Endpoint: Int, CaseIterable, Sendable {
        case main
        case side
    }

    /// A record with the lane and the endpoint of its next call.
    package struct Job: Sendable {
        var record: InboundRecord
        var lane: String
        var endpoint: Endpoint
    }

    /// The limit on the whole fleet's calls to the side endpoint; nil for none.
    var sideRate: RateLimit.Settings?
    /// The limits of the requests that records with the header `joined` share; nil if each has its own.
    var batches: SimulatedBatch.Limits?
    /// The age from which on a record is refused. The engine expires records of this age, so that this handler sees
    /// none, unless it is told a time that nobody has proven.
    var oldest: Duration

    /// The endpoints with their rate limits.
    package var endpoints: [UpstreamEndpoint] {
        Endpoint.allCases.map { UpstreamEndpoint("\($0)", rate: $0 == .side ? self.sideRate : nil) }
    }

    /// Plans by the record's value: `undecodable`, `known` and `refused` need no call, every other value
    /// needs one.
    package func plan(
        _ record: InboundRecord,
        _ attempt: Attempt,
        with memory: inout NoMemory
    ) -> Plan<Job, String> {
        let text = String(decoding: record.value ?? [], as: UTF8.self)
        let lane = record.header("lane").map { String(decoding: $0, as: UTF8.self) } ?? "a"
        if let timestamp = record.timestamp,
            attempt.proven.subtractingClamped(timestamp) > self.oldest.wholeMilliseconds
        {
            return .refuse(Reason("rule", "The record is too old."), nil)
        }
        switch text {
        case "undecodable":
            return .reject(Rejection(Reason("undecodable", "No."), kind: .undecodable, replayable: .no))
        case "known": return .answer("known")
        case "refused": return .refuse(Reason("rule", "Our rule says no."), nil)
        default:
            let endpoint: Endpoint = record.header("side") == nil ? .main : .side
            return .call(
                self.call(Job(record: record, lane: lane, endpoint: endpoint), attempt, path: "first")
            )
        }
    }

    private func call(
        _ job: Job,
        _ attempt: Attempt,
        path: String,
        isPerishable: Bool = false,
        isSecondTry: Bool = false
    ) -> Call<Job> {
        var headers = [
            HTTPHeader("topic", job.record.topic),
            HTTPHeader("partition", String(job.record.partition)),
            HTTPHeader("offset", String(job.record.offset)),
            HTTPHeader("lane", job.lane),
        ]
        if let key = job.record.key {
            headers.append(HTTPHeader("key", String(decoding: key, as: UTF8.self)))
        }
        let url = "https://\(job.endpoint).example/\(path)"
        let batches = job.record.header(SimulatedBatch.header) == nil ? nil : self.batches
        if batches != nil { headers.append(HTTPHeader(SimulatedBatch.header, "")) }
        let request = HTTPRequest(method: .post, url: url, headers: headers, body: job.record.value)
        let template = batches.map { SimulatedBatch(limits: $0, endpoint: job.endpoint, lane: job.lane) }
        return Call(
            template.map {
                .part(BatchPart(SimulatedBatch.element(of: request), of: $0, plannedAt: attempt.now))
            } ?? .request(request),
            for: job,
            lane: job.lane,
            endpoint: job.endpoint.rawValue,
            isPerishable: isPerishable,
            isSecondTry: isSecondTry,
            isRepeatable: job.record.header("once") == nil
        )
    }

    /// Turns each status code into the verdict that it stands for.
    package func interpret(
        _ exchange: Exchange,
        of job: Job,
        _ attempt: Attempt,
        with memory: inout NoMemory
    ) -> Verdict<Job, String> {
        if case .failure(let error) = exchange, error.isNotReady {
            return .retry(.lane(Reason("not_ready", "The lane is not ready."), after: .seconds(5)))
        }
        guard case .response(let response) = exchange else {
            return .retry(Retry(Reason("transfer", "No answer."), blame: .upstream))
        }
        let reason = Reason("http.\(response.status)", "The upstream said so.")
        let after = response.header("retry-after").flatMap { RetryAfter.delay($0, now: attempt.now) }
        switch response.status {
        case 200 where response.body.isEmpty:
            return .answer(
                attempt.ambiguous == 0 ? "done" : "done, perhaps after \(attempt.ambiguous) others"
            )
        case 207: return .answer(String(repeating: "x", count: Self.largeAnswer))
        case 300: return .call(self.call(job, attempt, path: "again"))
        case 301: return .call(self.call(job, attempt, path: "again", isPerishable: true))
        case 302: return .call(self.call(job, attempt, path: "again", isSecondTry: true))
        case 303:
            var job = job
            job.endpoint = job.endpoint == .main ? .side : .main
            return .call(self.call(job, attempt, path: "again"))
        case 401: return .hold(reason, scope: .lane)
        case 402: return .hold(reason, scope: .upstream)
        case 403:
            return .reject(
                Rejection(reason, kind: .rejected, replayable: .afterFix, suggestsConfigurationFault: true)
            )
        case 404: return .refuse(reason, "nothing there")
        case 409: return .retry(Retry(reason, blame: .record, after: after))
        case 410: return .giveUp(Retry(reason, blame: .upstream, after: after), "too late")
        case 422: return .reject(Rejection(reason, kind: .rejected, replayable: .no))
        case 430: return .retry(.lane(reason, after: after ?? .seconds(60)))
        case 429: return .retry(Retry(reason, blame: .upstream, after: after, gatesUpstream: true))
        default: return .retry(Retry(reason, blame: .upstream, after: after))
        }
    }

    /// The length in bytes of the answer to status 207. It is above `AdversaryPlan.messageLimit`.
    static let largeAnswer = 150_000

    /// Gives an expired record an answer if it was tried before.
    package func expired(_ record: InboundRecord, _ attempt: Attempt) -> String? {
        attempt.number == 1 ? nil : "tried"
    }

    private static let fields = SchemaFields(["known"])

    /// Returns the members other than `known`, where the value is an object in JSON.
    package func unknownFields(in record: InboundRecord) -> UnknownFields? {
        UnknownFields(of: record, in: Self.fields)
    }

    /// Encodes an outcome in the simulation's own text form, whatever the format.
    package func encode(_ outcome: Outcome, _ answer: String?, as format: ValueFormat) -> [UInt8] {
        SimulatedOutcome(outcome, answer).encoded
    }
}

/// An outcome record of a simulated worker, in a form that can be compared.
package struct SimulatedOutcome: Hashable {
    /// The record's id: topic, partition and offset, joined by `/`.
    package var id: String
    package var partition: Int32
    package var offset: Int64
    /// The raw value of the outcome's fate, such as `succeeded`.
    package var fate: String
    /// The code of the reason; empty if there is none.
    package var reason: String
    /// The number of attempts that were made for the record.
    package var attempts: Int
    /// The id of the dead letter; empty if there is none.
    package var deadLetterID: String
    /// The handler's answer; empty if there is none.
    package var answer: String

    /// The name of the record whose outcome this is.
    package var name: RecordName { RecordName(partition: self.partition, offset: self.offset) }

    /// Takes the fields of an outcome. An absent reason, letter or answer is an empty text.
    package init(_ outcome: Outcome, _ answer: String?) {
        self.id = outcome.id
        self.partition = outcome.partition
        self.offset = outcome.offset
        self.fate = outcome.fate.rawValue
        self.reason = outcome.reason?.code ?? ""
        self.attempts = outcome.attempts
        self.deadLetterID = outcome.deadLetterID ?? ""
        self.answer = answer ?? ""
    }

    /// Reads an outcome record back. Nil for any other record.
    package init?(_ record: OutboundRecord) {
        let fields = (record.value ?? []).split(
            separator: UInt8(ascii: "|"),
            omittingEmptySubsequences: false
        )
        .map { String(decoding: $0, as: UTF8.self) }
        guard record.topic.hasSuffix(".result"), fields.count == 8, let partition = Int32(fields[1]),
            let offset = Int64(fields[2]), let attempts = Int(fields[5])
        else { return nil }
        self.id = fields[0]
        self.partition = partition
        self.offset = offset
        self.fate = fields[3]
        self.reason = fields[4]
        self.attempts = attempts
        self.deadLetterID = fields[6]
        self.answer = fields[7]
    }

    /// The value of the outcome record: the fields, separated by `|`.
    package var encoded: [UInt8] {
        let fields = [
            self.id, String(self.partition), String(self.offset), self.fate, self.reason,
            String(self.attempts),
            self.deadLetterID, self.answer,
        ]
        return Array(fields.joined(separator: "|").utf8)
    }
}
