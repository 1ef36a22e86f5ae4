import Records
import WireFormats

/// The place where an event first came in, according to its record, if another worker has sent the event on.
///
/// The place is in a header of the record, and every publisher of the topic can write that header. It is
/// therefore only a claim. The outcome repeats the claim for readers that look for their record, but the
/// outcome's own id names the record that was handled, whose place nobody can choose. A worker uses the
/// number of hops of the claim only to stop sending the event on. A publisher that lies about it has one
/// device counted in two partitions; the same publisher could as well have invented two devices.
struct EventOrigin: Hashable, Sendable {
    /// The input partition where the event first came in.
    var partition: Int32
    /// The offset of the event's first record in that partition.
    var offset: Int64
    /// How often the event was sent on; 0 if the record makes no claim.
    var hops: Int

    /// The greatest number of hops. After that, the partition that has the event counts it even if it is not
    /// the home of the device. While partitions are added, workers may disagree about homes, and the event
    /// would otherwise travel for ever.
    static let hopsLimit = 3

    /// More bytes than three numbers take.
    private static let bytesLimit = 64

    /// The name of the header.
    static let header = RecordOrigin.pushHeader

    /// Reads the claim of a record. Without a header, or with one that does not fit, the record is the origin
    /// itself.
    init(of record: borrowing InboundRecord) {
        self.partition = record.partition
        self.offset = record.offset
        self.hops = 0
        guard !record.headers.isEmpty, let value = record.header(Self.header),
            value.count <= Self.bytesLimit
        else { return }
        // The value is partition/offset/hops; the topic is always the input topic.
        let parts = String(decoding: value, as: UTF8.self).split(separator: "/")
        guard parts.count == 3, let partition = Int32(parts[0]), let offset = Int64(parts[1]),
            let hops = Int(parts[2]), partition >= 0, offset >= 0, (1...Self.hopsLimit).contains(hops)
        else { return }
        self.partition = partition
        self.offset = offset
        self.hops = hops
    }

    /// The header by which an outcome repeats the claim, as partition/offset; nil if there is no claim.
    var outcomeHeader: RecordHeader? {
        self.hops == 0 ? nil : RecordHeader(Self.header, "\(self.partition)/\(self.offset)")
    }

    /// Returns the headers of an unchanged copy of the record: its own ones and the origin.
    func headers(afterCopyOf record: borrowing InboundRecord) -> [RecordHeader] {
        record.headers.filter { !$0.isNamed(Self.header) } + [self.afterHop]
    }

    /// The header of the record that is sent on, with one hop more.
    private var afterHop: RecordHeader {
        RecordHeader(Self.header, "\(self.partition)/\(self.offset)/\(min(self.hops + 1, Self.hopsLimit))")
    }

    /// Returns the headers of the encoded event that is sent on: its content type, its origin, the members that
    /// were left out because no schema has them, and of the record's own headers the trace context, the replay
    /// header and those by which its publisher recognises the outcome.
    func headers(afterHopOf record: borrowing InboundRecord) -> [RecordHeader] {
        var headers = [
            RecordHeader("content-type", ValueFormat.protobuf.contentType),
            self.afterHop,
        ]
        if let unknown = UnknownFields(of: record, in: .pushEvent) { headers.append(unknown.recordHeader) }
        guard !record.headers.isEmpty else { return headers }
        if let trace = TraceContext(record.headers) { headers += trace.headers }
        if let replay = record.replayHeader { headers.append(replay) }
        headers += record.publisherHeaders
        return headers
    }
}
