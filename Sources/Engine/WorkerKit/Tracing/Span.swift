import WireFormats

/// One finished step of a sampled record, as a collector gets it. It holds no key, no payload, no query of a URL
/// and no answer.
struct Span: Sendable {
    /// The kinds of spans, with their numbers in OTLP.
    enum Kind: Int, Sendable {
        case `internal` = 1
        case client = 3
        case consumer = 5
    }

    var name: String
    var kind: Kind
    /// The trace, and this span's own id in it.
    var context: TraceContext
    /// The context of the step that this one belongs to; nil if the trace begins here.
    var parent: TraceContext?
    /// The publisher's context, if this span is about its record; nil for inner steps.
    var link: TraceContext?
    /// Nanoseconds since 1970.
    var start: Int64
    /// Nanoseconds since 1970, not before the start.
    var end: Int64
    var attributes: [(name: SpanAttribute, value: SpanAttribute.Value)]
    /// The code of what went wrong; nil if nothing did.
    var error: String?
}
