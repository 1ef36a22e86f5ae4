import Records
import StreamKit
import WireFormats

/// Collects accepted arrivals for the forwarder: one record is one request.
///
/// A batch ends before its record could be larger than the broker takes, and the forwarder reads: devices choose the
/// names in it.
struct ForwardBatch {
    private let topic: String
    private let limit: Int
    private let bytesLimit: Int
    private var arrivals: [PushForwardBatch.Arrival] = []
    private var bytes = 0

    /// What a record has besides its arrivals, at most.
    private static let ownBytes = 1_024

    /// - Parameters:
    ///   - limit: arrivals of a record.
    ///   - bytesLimit: of a record. One arrival has at most 3 KB.
    init(topic: String, limit: Int, bytesLimit: Int) {
        self.topic = topic
        self.limit = limit
        self.bytesLimit = bytesLimit - Self.ownBytes
    }

    mutating func add(_ event: PushEvent, _ time: PushTime, to output: StreamOutput) {
        let arrival = PushForwardBatch.Arrival(event, time)
        let bytes = arrival.jsonBytesBound
        if self.bytes + bytes > self.bytesLimit { self.flush(to: output) }
        self.bytes += bytes
        self.arrivals.append(arrival)
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
        self.bytes = 0
    }
}
