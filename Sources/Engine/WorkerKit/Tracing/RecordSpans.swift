import Records
import ServiceKit
import Synchronization
import UpstreamHTTP
import WireFormats

/// The spans of one sampled record, from its arrival to the end: `process` around all, and in it `poll`, `plan`,
/// a span for each call, and `settle`. They go to the exporter together, when the record ends.
package final class RecordSpans: Sendable {
    /// The facts that are the same for all records of a worker.
    struct Surroundings: Sendable {
        var group: String
        var upstream: String
        var input: String
    }

    /// The most spans of one record. Beyond it, as after hundreds of retries, further ones are dropped.
    private static let limit = 64

    private struct State {
        var random: SplitMix64
        var spans: [Span] = []
        var planBegan: Int64?
        var call: Span?
        /// The context of the settlement and its start, once an outcome was made.
        var settle: (context: TraceContext, start: Int64)?
        var dropped = 0
    }

    private let parent: TraceContext?
    /// The context of the span that all others are in.
    private let process: TraceContext
    private let began: Int64
    private let about: [(name: SpanAttribute, value: SpanAttribute.Value)]
    private let surroundings: Surroundings
    private let topic: String
    private let queue: SpanQueue
    private let clock: @Sendable () -> Int64
    private let state: Mutex<State>

    init(
        _ record: InboundRecord,
        trace: TraceContext,
        parent: TraceContext?,
        surroundings: Surroundings,
        queue: SpanQueue,
        seed: UInt64,
        clock: @escaping @Sendable () -> Int64
    ) {
        var random = SplitMix64(seed: seed)
        self.parent = parent
        self.process = trace.child(random: random.next())
        self.began = clock()
        self.surroundings = surroundings
        self.topic = record.topic
        self.queue = queue
        self.clock = clock
        self.about = [
            (.messagingSystem, .text("kafka")),
            (.destination, .text(record.topic)),
            (.partition, .text(String(record.partition))),
            (.offset, .number(record.offset)),
            (.group, .text(surroundings.group)),
        ]
        var poll: [(name: SpanAttribute, value: SpanAttribute.Value)] = [
            (.operationName, .text("poll")), (.operationType, .text("receive")),
            (.bodySize, .number(Int64(record.value?.count ?? 0))),
        ]
        if record.value == nil { poll.append((.isTombstone, .flag(true))) }
        if let timestamp = record.timestamp {
            poll.append((.age, .number(max(0, (self.began / 1_000_000).subtractingClamped(timestamp)))))
        }
        let arrival = Span(
            name: "poll \(record.topic)",
            kind: .client,
            context: trace.child(random: random.next()),
            parent: self.process,
            start: self.began,
            end: self.began,
            attributes: self.about + poll
        )
        self.state = Mutex(State(random: random, spans: [arrival]))
    }

    // MARK: - Steps

    /// Notes that the handler begins to plan.
    func planBegan() {
        let now = self.clock()
        self.state.withLock { $0.planBegan = now }
    }

    /// Notes that the handler has planned.
    func planEnded() {
        let now = self.clock()
        self.state.withLock { state in
            guard let start = state.planBegan else { return }
            state.planBegan = nil
            let context = self.process.child(random: state.random.next())
            self.add(
                Span(
                    name: "plan",
                    kind: .internal,
                    context: context,
                    parent: self.process,
                    start: start,
                    end: max(start, now),
                    attributes: []
                ),
                to: &state
            )
        }
    }

    /// Notes that a call begins.
    ///
    /// - Parameters:
    ///   - request: The request; nil if it is shared with other records.
    ///   - attempt: The number of the call for this record, from 1.
    /// - Returns: The context to send along with the request.
    func callStarted(_ request: HTTPRequest?, attempt: Int, lane: String) -> TraceContext {
        let now = self.clock()
        var attributes: [(name: SpanAttribute, value: SpanAttribute.Value)] = [
            (.upstream, .text(self.surroundings.upstream)), (.lane, .text(lane)),
        ]
        if attempt > 1 { attributes.append((.resendCount, .number(Int64(attempt - 1)))) }
        if let request {
            attributes.append((.method, .text(request.method.rawValue)))
            attributes += Self.server(of: request.url)
        }
        return self.state.withLock { state in
            let context = self.process.child(random: state.random.next())
            state.call = Span(
                name: request?.method.rawValue ?? "call \(self.surroundings.upstream)",
                kind: .client,
                context: context,
                parent: self.process,
                start: now,
                end: now,
                attributes: attributes
            )
            return context
        }
    }

    /// Returns scheme, host and port of a URL. Nothing else of a URL is told: paths and queries carry ids of
    /// accounts and devices.
    private static func server(of url: String) -> [(name: SpanAttribute, value: SpanAttribute.Value)] {
        guard let mark = url.firstRange(of: "://") else { return [] }
        let scheme = url[..<mark.lowerBound].lowercased()
        let authority = url[mark.upperBound...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        var (host, port) = (authority, scheme == "https" ? Int64(443) : 80)
        if let colon = authority.lastIndex(of: ":"), let number = Int64(authority[colon...].dropFirst()) {
            (host, port) = (authority[..<colon], number)
        }
        return [
            (.scheme, .text(scheme)), (.serverAddress, .text(String(host))), (.serverPort, .number(port)),
        ]
    }

    /// Notes the end of the call.
    func callEnded(_ exchange: Exchange) {
        let now = self.clock()
        self.state.withLock { state in
            guard var span = state.call else { return }
            state.call = nil
            span.end = max(span.start, now)
            switch exchange {
            case .response(let response):
                span.attributes.append((.status, .number(Int64(response.status))))
                if response.status >= 400 { span.error = String(response.status) }
            case .failure(let error), .ambiguous(let error): span.error = error.kind.rawValue
            }
            self.add(span, to: &state)
        }
    }

    /// The context that the outcome carries on. The settlement begins when it is first asked for.
    var settlement: TraceContext {
        let now = self.clock()
        return self.state.withLock { state in
            if let settle = state.settle { return settle.context }
            let context = self.process.child(random: state.random.next())
            state.settle = (context, now)
            return context
        }
    }

    /// The ids of the trace and of the record's span, for log lines.
    var ids: (trace: String, span: String) { (self.process.traceID, self.process.parentID) }

    /// Ends all spans and hands them to the exporter.
    ///
    /// - Parameters:
    ///   - fate: The way the record has ended here.
    ///   - error: The code of the reason, if that is no good end.
    func end(_ fate: String, error: String?) {
        let now = self.clock()
        let (spans, dropped) = self.state.withLock { state in
            if let settle = state.settle {
                let attributes: [(name: SpanAttribute, value: SpanAttribute.Value)] = [
                    (.operationName, .text("settle")), (.operationType, .text("settle")),
                    (.fate, .text(fate)),
                ]
                let span = Span(
                    name: "settle \(self.topic)",
                    kind: .client,
                    context: settle.context,
                    parent: self.process,
                    start: settle.start,
                    end: max(settle.start, now),
                    attributes: self.about + attributes
                )
                self.add(span, to: &state)
            }
            // A call that is still out ends here: its answer will find nobody.
            if var call = state.call {
                call.end = max(call.start, now)
                call.error = "given_up"
                self.add(call, to: &state)
            }
            return (state.spans, state.dropped)
        }
        if dropped > 0 { self.queue.dropped(dropped, because: .tooMany) }
        self.queue.add(spans + [self.whole(until: now, fate, error)])
    }

    private func whole(until now: Int64, _ fate: String, _ error: String?) -> Span {
        let attributes: [(name: SpanAttribute, value: SpanAttribute.Value)] = [
            (.operationName, .text("process")), (.operationType, .text("process")), (.fate, .text(fate)),
        ]
        return Span(
            name: "process \(self.topic)",
            kind: .consumer,
            context: self.process,
            parent: self.parent,
            link: self.parent,
            start: self.began,
            end: max(self.began, now),
            attributes: self.about + attributes,
            error: error
        )
    }

    private func add(_ span: Span, to state: inout State) {
        guard state.spans.count < Self.limit else { return state.dropped += 1 }
        state.spans.append(span)
    }
}
