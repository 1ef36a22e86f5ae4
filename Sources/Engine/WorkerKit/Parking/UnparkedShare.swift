import ServiceKit

/// The share of what is in hand that parked records may take when they come back, and what they take of it.
/// It leaves room for new records.
struct UnparkedShare: Sendable {
    /// The largest number of records in hand that came back.
    let recordsLimit: Int
    /// The largest number of bytes of records in hand that came back. One batch can exceed it, because the
    /// size of a parked record is not known before the read.
    let bytesLimit: Int
    /// The largest number of records of one key in hand that came back. They are called for one after the
    /// other, which takes time.
    private static let keyLimit = 64

    /// The number of records in hand that came back.
    private(set) var records = 0
    private(set) var bytes = 0
    /// The number and the bytes of those that are probably at fault themselves.
    private var faulty = (records: 0, bytes: 0)
    /// The number of records in hand that came back, by key.
    private var keys: [KeyMark: Int] = [:]
    /// The size of the largest of the records that were read last, in bytes.
    private(set) var largest = 1

    /// - Parameters:
    ///   - recordsLimit: The limit of all records in hand.
    ///   - bytesLimit: The limit of all bytes in hand.
    init(recordsLimit: Int, bytesLimit: Int) {
        self.recordsLimit = max(1, min(1_000, recordsLimit / 4))
        self.bytesLimit = bytesLimit / 4
    }

    var isEmpty: Bool { self.records == 0 && self.bytes == 0 && self.keys.isEmpty }

    /// Whether the share is used up.
    var isFull: Bool { self.records >= self.recordsLimit || self.bytes >= self.bytesLimit }

    /// The number of further records that may come back, if they are as large as the largest of those that
    /// were read last.
    var room: Int {
        guard self.bytes < self.bytesLimit else { return 0 }
        let forBytes = (self.bytesLimit - self.bytes) / self.largest + 1
        return min(self.recordsLimit - self.records, forBytes)
    }

    /// Returns the number of records that each of so many queues may keep behind its first one, so that they
    /// keep at most a quarter of the share together.
    func followers(ofEach queues: Int) -> Int {
        min(self.recordsLimit, self.bytesLimit / self.largest) / 4 / queues
    }

    /// Returns whether one more record of a key may come back.
    func hasRoom(for key: KeyMark) -> Bool { self.keys[key, default: 0] < Self.keyLimit }

    /// Whether one more record may come back that is probably at fault itself. Such records take at most half of the
    /// share: calls for them fail each time, and they are the oldest, so that others would find no room.
    var hasRoomForFaulty: Bool {
        self.faulty.records < max(1, self.recordsLimit / 2) && self.faulty.bytes < max(1, self.bytesLimit / 2)
    }

    /// Returns whether a record of a key has come back and is in hand.
    func has(_ key: KeyMark) -> Bool { self.keys[key] != nil }

    /// Notes that records were read, of which the largest has this size.
    mutating func read(largest bytes: Int) { self.largest = max(1, bytes) }

    /// Notes that a record of this size came back.
    ///
    /// - Parameter isFaulty: Whether it is probably at fault itself.
    mutating func cameBack(_ key: KeyMark?, bytes: Int, isFaulty: Bool = false) {
        self.records += 1
        self.bytes += bytes
        if isFaulty { self.faulty = (self.faulty.records + 1, self.faulty.bytes + bytes) }
        if let key { self.keys[key, default: 0] += 1 }
    }

    /// Notes that a record which came back is settled, or waits again.
    ///
    /// - Parameter isFaulty: Whether the record was noted as such when it came back.
    mutating func left(_ key: KeyMark?, bytes: Int, isFaulty: Bool = false) {
        self.records -= 1
        self.bytes -= bytes
        if isFaulty { self.faulty = (self.faulty.records - 1, self.faulty.bytes - bytes) }
        guard let key else { return }
        let left = self.keys[key, default: 1] - 1
        self.keys[key] = left > 0 ? left : nil
    }

    /// Forgets all records, because none is in hand any more.
    mutating func removeAll() {
        self.records = 0
        self.bytes = 0
        self.faulty = (0, 0)
        self.keys = [:]
        self.largest = 1
    }
}
