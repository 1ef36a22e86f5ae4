import Records
import StreamKit
import WireFormats

/// Collects accepted arrivals for the forwarder: one record is one request.
struct ForwardBatch {
    private let topic: String
    private let limit: Int
    private var arrivals: [PushForwardBatch.Arrival] = []

    init(topic: String, limit: Int) {
        self.topic = topic
        self.limit = limit
    }

    mutating func add(_ event: PushEvent, _ time: PushTime, to output: StreamOutput) {
        self.arrivals.append(PushForwardBatch.Arrival(event, time))
        if self.arrivals.count >= self.limit { self.flush(to: output) }
    }

    mutating func flush(to output: StreamOutput) {
        guard !self.arrivals.isEmpty else { return }
        output.send(
            OutboundRecord(
                topic: self.topic,
                value: PushForwardBatch(self.arrivals).json,
                headers: [RecordHeader("content-type", ValueFormat.json.contentType)]
            )
        )
        self.arrivals.removeAll(keepingCapacity: true)
    }
}
