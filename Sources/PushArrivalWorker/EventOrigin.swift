import Records
import WireFormats

/// Where an event first came in, which its outcome is named after, however it came to the partition that counts it.
struct EventOrigin: Hashable, Sendable {
    var topic: String
    var partition: Int32
    var offset: Int64
    /// How often it has been sent on.
    var hops: Int

    /// A partition that has no home for an event after so many hops counts it itself: while partitions are added,
    /// workers may disagree on where a device is at home.
    static let hopsLimit = 3

    private static let header = "flotilla.push.origin"

    init(of record: borrowing InboundRecord) {
        self.topic = record.topic
        self.partition = record.partition
        self.offset = record.offset
        self.hops = 0
        guard !record.headers.isEmpty, let value = record.header(Self.header) else { return }
        // partition/offset/hops, of the same topic.
        let parts = String(decoding: value, as: UTF8.self).split(separator: "/")
        guard parts.count == 3, let partition = Int32(parts[0]), let offset = Int64(parts[1]),
            let hops = Int(parts[2]),
            partition >= 0, offset >= 0, hops > 0
        else { return }
        self.partition = partition
        self.offset = offset
        self.hops = hops
    }

    /// The headers of the record that sends the event on: what it is, where it comes from, and of its own those that
    /// go on with it.
    func headers(afterHopOf record: borrowing InboundRecord) -> [RecordHeader] {
        var headers = [
            RecordHeader("content-type", ValueFormat.protobuf.contentType),
            RecordHeader(Self.header, "\(self.partition)/\(self.offset)/\(self.hops + 1)"),
        ]
        guard !record.headers.isEmpty else { return headers }
        headers += record.headers.filter {
            [TraceContext.parentHeader, TraceContext.stateHeader].contains($0.name)
        }
        if let replay = record.replayHeader { headers.append(replay) }
        return headers
    }
}
