import Kafka
import Records
import ServiceKit
import WorkerKit

/// Counts the records and bytes that one worker holds, independently of its engine. A record is held from the
/// time it was read until the broker has acknowledged its outcome or its copy.
///
/// The count is rather too low than too high. The engine adds an allowance for each record, and it holds
/// records that are written until their transaction is committed.
struct HandJudge {
    private struct Piece {
        var origin: RecordName
        var place: TopicPartition
        var offset: Int64
        var bytes: Int
        /// The time of reading in monotonic nanoseconds.
        var readAt: Int64
        var hasOutcome = false
    }

    private struct Outsider {
        var origin: RecordName
        var place: TopicPartition
        var offset: Int64
    }

    private let recordsLimit: Int
    private let bytesLimit: Int
    private var pieces: [String: Piece] = [:]
    /// Records that were beyond the window of offsets when they were read, as far as this judge can tell. The
    /// engine begins them as soon as it can, which is not visible from here. Until they are settled, they
    /// keep the window from moving.
    private var outside: [String: Outsider] = [:]
    /// The places of the records, by the name under which each was published.
    private var names: [RecordName: Set<String>] = [:]
    private var bytes = 0
    /// The first offset that was read in each partition.
    private var firstRead: [TopicPartition: Int64] = [:]
    /// The offset before which earlier owners had finished every record of a partition. The worker does not
    /// handle these records again.
    private var committed: [TopicPartition: Int64] = [:]
    /// The offsets beyond `committed` that earlier owners had finished. The worker does not handle these
    /// records again.
    private var finished: [TopicPartition: Set<Int64>] = [:]

    init(_ settings: EngineSettings) {
        self.recordsLimit = settings.recordsLimit
        self.bytesLimit = settings.bytesLimit
    }

    /// Forgets everything that was held. These partitions are then read from their committed positions.
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

    /// Checks that the worker may read so many more records, while its calls take up so many bytes.
    ///
    /// - Returns: a complaint if the worker holds too much; nil otherwise.
    func complaint(about wanted: Int, callBytes: Int) -> String? {
        if self.pieces.count + wanted > self.recordsLimit {
            return "\(wanted) records are read with \(self.pieces.count) of \(self.recordsLimit) in hand"
        }
        let bytes = self.bytes + callBytes
        guard bytes >= self.bytesLimit else { return nil }
        return "records are read with \(bytes) of \(self.bytesLimit) bytes in hand"
    }

    /// Notes that a record was read. A record is not counted if the worker cannot begin it yet, as far as
    /// this judge can tell.
    mutating func read(
        _ record: InboundRecord,
        _ origin: RecordName,
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
        // Finding the oldest record takes time, and most records do not need it.
        guard offset - first >= Int64(PartitionProgress.window) else { return true }
        let inside = self.pieces.values.lazy.filter { $0.place == place }.map(\.offset).min() ?? offset
        let outside = self.outside.values.lazy.filter { $0.place == place }.map(\.offset).min() ?? offset
        return offset - min(inside, outside) < Int64(PartitionProgress.window)
    }

    /// Notes that the worker has sent the outcome of a record.
    ///
    /// - Returns: the time since which the worker has held the record, if this is its first outcome.
    mutating func outcomeSent(_ origin: RecordName) -> Int64? {
        guard let name = self.names[origin]?.min(), let piece = self.pieces[name], !piece.hasOutcome else {
            return nil
        }
        self.pieces[name]?.hasOutcome = true
        return piece.readAt
    }

    /// Notes that the broker has stored the outcome of a record.
    mutating func settled(_ origin: RecordName) {
        for name in self.names[origin] ?? [] { self.remove(name) }
    }

    /// Notes that the broker has stored a copy of a record.
    ///
    /// - Parameter name: the place of the record, as `topic/partition/offset`.
    mutating func forwarded(_ name: String) { self.remove(name) }

    private mutating func remove(_ name: String) {
        if let piece = self.pieces.removeValue(forKey: name) {
            self.bytes -= piece.bytes
            self.forget(name, of: piece.origin)
        } else if let record = self.outside.removeValue(forKey: name) {
            self.forget(name, of: record.origin)
        }
    }

    private mutating func forget(_ name: String, of origin: RecordName) {
        self.names[origin]?.remove(name)
        if self.names[origin]?.isEmpty == true { self.names[origin] = nil }
    }

    private static func name(of record: InboundRecord) -> String {
        record.place
    }
}

extension InboundRecord {
    /// The place of the record, as `topic/partition/offset`.
    var place: String { "\(self.topic)/\(self.partition)/\(self.offset)" }

    fileprivate var rawBytes: Int {
        let headers = self.headers.reduce(0) { $0 + $1.name.utf8.count + ($1.value?.count ?? 0) }
        return headers + (self.key?.count ?? 0) + (self.value?.count ?? 0)
    }
}
