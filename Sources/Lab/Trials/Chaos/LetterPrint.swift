import Cryptography
import Records

/// The contents of a record as hashes, with which its dead letter is compared. They are valid only within this process.
///
/// A dead letter has the key, the value and the headers of its record as they were. If the record is nearly as large as
/// the topic takes, its letter has no room for the value, and states the size and the SHA-256 of the value instead.
struct LetterPrint {
    /// The number of bytes of key and value from which on a letter may leave the value out.
    private static let largeFrom = 1_000_000

    private let whole: Int
    /// The hash of a letter without the value; nil if the letter must have the value.
    private let pointer: Int?

    init(_ record: OutboundRecord) {
        self.whole = Self.hash(record.key, record.value, headers: record.headers)
        guard let value = record.value, value.count + (record.key?.count ?? 0) >= Self.largeFrom else {
            self.pointer = nil
            return
        }
        let stated = [
            RecordHeader("dlq.value_bytes", String(value.count)),
            RecordHeader("dlq.value_sha256", Digest.sha256.hexadecimal(value)),
        ]
        self.pointer = Self.hash(record.key, nil, headers: record.headers + stated)
    }

    /// Whether this is a dead letter of the record.
    func fits(_ letter: InboundRecord) -> Bool {
        let own = letter.headers.filter { !$0.name.hasPrefix("dlq.") && !$0.name.hasPrefix("__dlq.") }
        guard letter.header("dlq.value_omitted") != nil else {
            return Self.hash(letter.key, letter.value, headers: own) == self.whole
        }
        let stated = letter.headers.filter { $0.name == "dlq.value_bytes" || $0.name == "dlq.value_sha256" }
        return Self.hash(letter.key, letter.value, headers: own + stated) == self.pointer
    }

    private static func hash(_ key: [UInt8]?, _ value: [UInt8]?, headers: [RecordHeader]) -> Int {
        var hasher = Hasher()
        hasher.combine(key)
        hasher.combine(value)
        hasher.combine(headers)
        return hasher.finalize()
    }
}
