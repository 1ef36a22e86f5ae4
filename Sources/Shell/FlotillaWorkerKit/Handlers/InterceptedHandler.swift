import FlotillaRecords
package import Records
import ServiceKit
package import ServiceLifecycle
import UpstreamHTTP
package import WireFormats
package import WorkerKit

/// A handler with the interceptors and the channels of a shell around it.
///
/// Four of the five points lie around the handler's own two functions; the engine calls the fifth,
/// `didSettle`, where it has finished a record.
package struct InterceptedHandler<Base: Handler>: Handler {
    /// A job of the handler, with what the interceptors are shown of its call.
    package struct Job: Sendable {
        package var job: Base.Job
        /// The record and the request as they were sent; nil without interceptors.
        var call: (record: Record, request: Request)? = nil
    }

    package typealias Answer = Base.Answer
    package typealias Memory = Base.Memory

    package let base: Base
    private let interceptors: [any Interceptor]
    private let channels: [any Channel]
    /// Returns the content of a job as interceptors are shown it.
    private let content: @Sendable (Base.Job) -> any Sendable

    /// - Parameter content: Returns the content of a job in a public type.
    package init(
        _ base: Base,
        interceptors: [any Interceptor],
        channels: [any Channel],
        content: @escaping @Sendable (Base.Job) -> any Sendable
    ) {
        self.base = base
        self.interceptors = interceptors
        self.channels = channels
        self.content = content
    }

    package var emptyMemory: Base.Memory { self.base.emptyMemory }

    package func plan(
        _ record: InboundRecord,
        _ attempt: WorkerKit.Attempt,
        with memory: inout Base.Memory
    ) -> WorkerKit.Plan<Job, Base.Answer> {
        guard !self.interceptors.isEmpty else {
            return self.base.plan(record, attempt, with: &memory).carrying { $0.with(Job(job: $0.job)) }
        }
        var record = record
        do throws(Veto) {
            let seen = try self.received(&record)
            return try self.base.plan(record, attempt, with: &memory).carrying { call throws(Veto) in
                for interceptor in self.interceptors {
                    try interceptor.decoded(self.content(call.job), of: seen)
                }
                return try self.sending(call, for: seen)
            }
        } catch {
            return .refuse(error.reason.reason, nil)
        }
    }

    package func interpret(
        _ exchange: WorkerKit.Exchange,
        of job: Job,
        _ attempt: WorkerKit.Attempt,
        with memory: inout Base.Memory
    ) -> WorkerKit.Verdict<Job, Base.Answer> {
        guard let sent = job.call else {
            return self.base.interpret(exchange, of: job.job, attempt, with: &memory)
                .carrying { $0.with(Job(job: $0.job)) }
        }
        self.sent(sent, exchange)
        let verdict = self.base.interpret(exchange, of: job.job, attempt, with: &memory)
        do throws(Veto) {
            return try verdict.carrying { call throws(Veto) in try self.sending(call, for: sent.record) }
        } catch {
            return .refuse(error.reason.reason, nil)
        }
    }

    /// Shows a call that has ended to the interceptors, unless it was never sent, for example for want of a token.
    private func sent(_ call: (record: Record, request: Request), _ exchange: WorkerKit.Exchange) {
        if case .failure(let error) = exchange, error.isNotReady { return }
        let shown = Exchange(exchange)
        for interceptor in self.interceptors { interceptor.didSend(call.request, for: call.record, shown) }
    }

    /// Shows a record to the interceptors and takes over the headers that they change.
    ///
    /// - Returns: The record with these headers.
    private func received(_ record: inout InboundRecord) throws(Veto) -> Record {
        var seen = Record(record)
        for interceptor in self.interceptors { try interceptor.received(&seen) }
        record.headers = seen.headers.map(\.recordHeader)
        return Record(record)
    }

    /// Shows a request to the interceptors and takes over the headers that they change.
    private func sending(_ call: Call<Base.Job>, for record: Record) throws(Veto) -> Call<Job> {
        var request = Request(call.request)
        for interceptor in self.interceptors { try interceptor.willSend(&request, for: record) }
        var sent = Request(call.request)
        sent.headers = request.headers
        var next = call.with(Job(job: call.job, call: (record, sent)))
        switch next.content {
        case .request(var own):
            own.headers = sent.http.headers
            next.content = .request(own)
        case .part(var part):
            part.template = InterceptedTemplate(
                part.template,
                planned: call.request.headers,
                changed: sent.http.headers
            )
            next.content = .part(part)
        }
        return next
    }

    // MARK: - The channels, and the end of a record

    package var channelTopics: [String] { self.channels.map(\.topic) }

    package func channelRecords(
        for record: InboundRecord,
        _ outcome: WireFormats.Outcome,
        _ answer: Base.Answer?
    ) -> [OutboundRecord] {
        let (seen, end) = (Record(record), Outcome(outcome))
        return self.channels.compactMap { channel in
            channel.record(for: seen, end).map { content in
                OutboundRecord(
                    topic: channel.topic,
                    key: content.key,
                    value: content.value,
                    headers: content.headers.map(\.recordHeader)
                )
            }
        }
    }

    package var settled: (@Sendable (InboundRecord, WireFormats.Outcome) -> Void)? {
        guard !self.interceptors.isEmpty else { return nil }
        return { [interceptors = self.interceptors] record, outcome in
            let (seen, end) = (Record(record), Outcome(outcome))
            for interceptor in interceptors { interceptor.didSettle(seen, end) }
        }
    }

    // MARK: - Everything else is the handler's

    package func encode(
        _ outcome: WireFormats.Outcome,
        _ answer: Base.Answer?,
        as format: ValueFormat
    ) -> [UInt8] {
        self.base.encode(outcome, answer, as: format)
    }

    package var resultPlace: Int { self.base.resultPlace }

    package func unknownFields(in record: InboundRecord) -> UnknownFields? {
        self.base.unknownFields(in: record)
    }

    package func object(in record: InboundRecord) -> JSONObject? { self.base.object(in: record) }

    package func smaller(_ answer: Base.Answer) -> Base.Answer? { self.base.smaller(answer) }

    package func expired(_ record: InboundRecord, _ attempt: WorkerKit.Attempt) -> Base.Answer? {
        self.base.expired(record, attempt)
    }

    package var endpoints: [UpstreamEndpoint] { self.base.endpoints }

    package func companions(_ instruments: Instruments) -> [any Service] { self.base.companions(instruments) }

    package func callPlanned(for job: Job, _ attempt: WorkerKit.Attempt) {
        self.base.callPlanned(for: job.job, attempt)
    }
}
