import Records
import WireFormats

/// Where an event says that it first came in, if another worker has sent it on.
///
/// The header that says so comes with the record, and every publisher of the topic can write one. So it is a claim: the
/// outcome carries it on for readers that look for their record, and is itself named after the record that it is about,
/// whose place nobody can choose. A worker believes the number of hops, which only ends the sending on: a publisher who
/// lies about it has one device counted in two partitions, and could have named two devices instead.
struct EventOrigin: Hashable, Sendable {
    var partition: Int32
    var offset: Int64
    /// How often it has been sent on; 0 where nothing is claimed.
    var hops: Int

    /// A partition that has no home for an event after so many hops counts it itself: while partitions are added,
    /// workers may disagree on where a device is at home.
    static let hopsLimit = 3

    static let header = "flotilla.push.origin"

    init(of record: borrowing InboundRecord) {
        self.partition = record.partition
        self.offset = record.offset
        self.hops = 0
        guard !record.headers.isEmpty, let value = record.header(Self.header) else { return }
        // partition/offset/hops, of the same topic.
        let parts = String(decoding: value, as: UTF8.self).split(separator: "/")
        guard parts.count == 3, let partition = Int32(parts[0]), let offset = Int64(parts[1]),
            let hops = Int(parts[2]), partition >= 0, offset >= 0, (1...Self.hopsLimit).contains(hops)
        else { return }
        self.partition = partition
        self.offset = offset
        self.hops = hops
    }

    /// What an outcome says of the claim, as partition/offset; nil where nothing is claimed.
    var outcomeHeader: RecordHeader? {
        self.hops == 0 ? nil : RecordHeader(Self.header, "\(self.partition)/\(self.offset)")
    }

    /// The headers of a copy of the record: its own, and where it comes from.
    func headers(afterCopyOf record: borrowing InboundRecord) -> [RecordHeader] {
        record.headers.filter { $0.name != Self.header } + [self.afterHop]
    }

    private var afterHop: RecordHeader {
        RecordHeader(Self.header, "\(self.partition)/\(self.offset)/\(min(self.hops + 1, Self.hopsLimit))")
    }

    /// The headers of the record that sends the event on: what it is, where it comes from, and of its own those that
    /// go on with it.
    func headers(afterHopOf record: borrowing InboundRecord) -> [RecordHeader] {
        var headers = [
            RecordHeader("content-type", ValueFormat.protobuf.contentType),
            self.afterHop,
        ]
        guard !record.headers.isEmpty else { return headers }
        if let trace = TraceContext(record.headers) { headers += trace.headers }
        if let replay = record.replayHeader { headers.append(replay) }
        return headers
    }
}
