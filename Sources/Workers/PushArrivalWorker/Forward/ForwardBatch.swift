import Records
import StreamKit
import WireFormats

/// A batch of accepted arrivals for the forwarder. One batch becomes one record, and later one request.
///
/// The batch is sent before its record could become larger than the broker and the forwarder accept. The size
/// must be checked, because devices choose the names in the arrivals.
struct ForwardBatch {
    private let topic: String
    private let limit: Int
    private let bytesLimit: Int
    private var arrivals: [PushForwardBatch.Arrival] = []
    private var bytes = 0

    /// An upper bound of the bytes of a record besides its arrivals.
    private static let ownBytes = 1_024

    /// Creates an empty batch.
    ///
    /// - Parameters:
    ///   - topic: the topic of the forwarder.
    ///   - limit: the greatest number of arrivals in a record.
    ///   - bytesLimit: the greatest size of a record, in bytes. One arrival has at most 3 KB.
    init(topic: String, limit: Int, bytesLimit: Int) {
        self.topic = topic
        self.limit = limit
        self.bytesLimit = bytesLimit - Self.ownBytes
    }

    /// Adds an arrival. Sends the batch before if the arrival does not fit, and after if the batch is full.
    mutating func add(_ event: PushEvent, _ time: PushTime, to output: StreamOutput) {
        let arrival = PushForwardBatch.Arrival(event, time)
        let bytes = arrival.jsonBytesBound
        if self.bytes + bytes > self.bytesLimit { self.flush(to: output) }
        self.bytes += bytes
        self.arrivals.append(arrival)
        if self.arrivals.count >= self.limit { self.flush(to: output) }
    }

    /// Sends the batch unless it is empty.
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
