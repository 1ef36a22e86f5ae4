import Logging
import UpstreamHTTP
import WireFormats

// The spans of sampled records. A record that is not sampled has none, and costs a look at a reference.
extension Engine {
    /// Returns the context that a call carries on, with a span of its own; nil if the record has no trace.
    ///
    /// - Parameter request: The request; nil if it is shared with other records.
    func callTrace(of id: EntryID, _ request: HTTPRequest?, _ lane: String) -> TraceContext? {
        if let spans = self.table[id].spans {
            return spans.callStarted(request, attempt: self.table[id].attempts, lane: lane)
        }
        guard request != nil else { return nil }
        return self.table[id].trace?.child(random: self.random.next())
    }

    /// Returns the context that what is published about a record carries on; nil if the record has no trace.
    func settleTrace(of entry: Entry) -> TraceContext? {
        entry.spans?.settlement ?? entry.trace?.child(random: self.random.next())
    }

    /// Hands the spans of a record to the exporter, because the record ends here.
    func endSpans(of id: EntryID) {
        guard let spans = self.table[id].spans else { return }
        switch self.table[id].state.publication?.purpose {
        case .end(let settlement)?:
            let isGood = settlement.fate == .succeeded || settlement.fate == .rejected
            spans.end(settlement.fate.rawValue, error: isGood ? nil : settlement.reason?.code ?? "none")
        case .copy?: spans.end("forwarded", error: nil)
        case .ticket?: spans.end("parked", error: nil)
        case nil: spans.end("given_up", error: "given_up")
        }
    }

    /// Returns the metadata of a log line about a record, with the ids of its trace if it is sampled.
    func traced(_ id: EntryID, _ metadata: Logger.Metadata) -> Logger.Metadata {
        guard let ids = self.table[id].spans?.ids else { return metadata }
        var metadata = metadata
        metadata["trace_id"] = "\(ids.trace)"
        metadata["span_id"] = "\(ids.span)"
        return metadata
    }
}
