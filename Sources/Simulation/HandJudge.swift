import Kafka
import Records
import WorkerKit

/// Counts what one worker has in hand, apart from its engine: every record that it has read, until the broker has
/// acknowledged its outcome or its copy.
///
/// It counts rather too little than too much. The engine adds an allowance for each record, and keeps those that are
/// written until their transaction is committed.
struct HandJudge {
    private struct Piece {
        var origin: SimulatedCluster.RecordName
        var place: TopicPartition
        var offset: Int64
        var bytes: Int
        /// The monotonic time.
        var readAt: Int64
        var hasOutcome = false
    }

    private struct Outsider {
        var origin: SimulatedCluster.RecordName
        var place: TopicPartition
        var offset: Int64
    }

    private let recordsLimit: Int
    private let bytesLimit: Int
    private var pieces: [String: Piece] = [:]
    /// Records that were read beyond the window, as far as can be seen from here. The engine begins them when it can,
    /// and nobody sees when; until they are settled, they keep the window where it is.
    private var outside: [String: Outsider] = [:]
    /// Where each of them lies, by the name under which it was published.
    private var names: [SimulatedCluster.RecordName: Set<String>] = [:]
    private var bytes = 0
    /// The first offset that was read of each partition.
    private var firstRead: [TopicPartition: Int64] = [:]
    /// What the last owners had finished, and who reads it leaves alone: everything before an offset, and these.
    private var committed: [TopicPartition: Int64] = [:]
    private var finished: [TopicPartition: Set<Int64>] = [:]

    init(_ settings: EngineSettings) {
        self.recordsLimit = settings.recordsLimit
        self.bytesLimit = settings.bytesLimit
    }

    /// Nothing is in hand any more, and these partitions are taken up where the group stands.
    mutating func startAnew(from positions: [CommittedPosition], in clusterID: String) {
        self.pieces = [:]
        self.outside = [:]
        self.bytes = 0
        self.names = [:]
        self.firstRead = [:]
        self.finished = [:]
        self.committed = [:]
        for position in positions {
            self.committed[position.partition] = position.offset
            let place = PartitionMark(clusterID: clusterID, position.partition)
            let metadata = try? ProgressMetadata(position.metadata, at: place, from: position.offset ?? 0)
            self.finished[position.partition] = Set(metadata?.finished ?? [])
        }
    }

    /// So many records are asked for, while calls take up so many bytes.
    ///
    /// - Returns: what speaks against it.
    func complaint(about wanted: Int, callBytes: Int) -> String? {
        if self.pieces.count + wanted > self.recordsLimit {
            return "\(wanted) records are read with \(self.pieces.count) of \(self.recordsLimit) in hand"
        }
        let bytes = self.bytes + callBytes
        guard bytes >= self.bytesLimit else { return nil }
        return "records are read with \(bytes) of \(self.bytesLimit) bytes in hand"
    }

    /// A record was read. One that cannot be begun yet, as far as can be seen from here, is left out.
    mutating func read(
        _ record: InboundRecord,
        _ origin: SimulatedCluster.RecordName,
        at now: Int64,
        isDue: Bool
    ) {
        let place = TopicPartition(topic: record.topic, partition: record.partition)
        guard isDue, record.offset >= self.committed[place] ?? 0,
            self.finished[place]?.contains(record.offset) != true
        else { return }
        guard self.isInWindow(record.offset, of: place) else {
            self.outside[Self.name(of: record)] = Outsider(
                origin: origin,
                place: place,
                offset: record.offset
            )
            self.names[origin, default: []].insert(Self.name(of: record))
            return
        }
        let piece = Piece(
            origin: origin,
            place: place,
            offset: record.offset,
            bytes: record.rawBytes,
            readAt: now
        )
        self.pieces[Self.name(of: record)] = piece
        self.bytes += piece.bytes
        self.names[origin, default: []].insert(Self.name(of: record))
    }

    private mutating func isInWindow(_ offset: Int64, of place: TopicPartition) -> Bool {
        let first = self.firstRead[place] ?? offset
        self.firstRead[place] = first
        // To look for the oldest takes time, and most have no use for it.
        guard offset - first >= Int64(PartitionProgress.window) else { return true }
        let inside = self.pieces.values.lazy.filter { $0.place == place }.map(\.offset).min() ?? offset
        let outside = self.outside.values.lazy.filter { $0.place == place }.map(\.offset).min() ?? offset
        return offset - min(inside, outside) < Int64(PartitionProgress.window)
    }

    /// The outcome of a record is sent.
    ///
    /// - Returns: since when the record has been in hand, if this is its first outcome.
    mutating func outcomeSent(_ origin: SimulatedCluster.RecordName) -> Int64? {
        guard let name = self.names[origin]?.min(), let piece = self.pieces[name], !piece.hasOutcome else {
            return nil
        }
        self.pieces[name]?.hasOutcome = true
        return piece.readAt
    }

    /// The broker has the outcome of a record.
    mutating func settled(_ origin: SimulatedCluster.RecordName) {
        for name in self.names[origin] ?? [] { self.remove(name) }
    }

    /// The broker has a copy of the record that lies there: `topic/partition/offset`.
    mutating func forwarded(_ name: String) { self.remove(name) }

    private mutating func remove(_ name: String) {
        if let piece = self.pieces.removeValue(forKey: name) {
            self.bytes -= piece.bytes
            self.forget(name, of: piece.origin)
        } else if let record = self.outside.removeValue(forKey: name) {
            self.forget(name, of: record.origin)
        }
    }

    private mutating func forget(_ name: String, of origin: SimulatedCluster.RecordName) {
        self.names[origin]?.remove(name)
        if self.names[origin]?.isEmpty == true { self.names[origin] = nil }
    }

    private static func name(of record: InboundRecord) -> String {
        record.place
    }
}

extension InboundRecord {
    /// Where it lies: `topic/partition/offset`.
    var place: String { "\(self.topic)/\(self.partition)/\(self.offset)" }

    fileprivate var rawBytes: Int {
        let headers = self.headers.reduce(0) { $0 + $1.name.utf8.count + ($1.value?.count ?? 0) }
        return headers + (self.key?.count ?? 0) + (self.value?.count ?? 0)
    }
}
