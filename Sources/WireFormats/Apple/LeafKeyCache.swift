import Cryptography
import Synchronization

/// Keys of leaves whose chains were found good, so that the next signature of the same leaf costs one verification
/// instead of three.
///
/// A hit gives what the whole way would give: an entry is kept under all the bytes that the way depends on (its
/// origin), only after a signature by that key was good (so nobody but Apple fills it), and serves only times at which
/// the whole chain was valid. Apple's own library keeps them for 15 minutes too.
///
/// The bytes themselves, because a digest of them takes a tenth of the time that the signature does, and comparing
/// them next to nothing: one after the other, since Apple has a handful of leaves at a time.
final class LeafKeyCache: Sendable {
    static let entriesLimit = 64
    /// Three times what a chain takes. Under more nothing is kept, or whoever has one good receipt could have us keep
    /// it in many wrappings of megabytes each.
    static let originBytesLimit = 16 * 1024
    /// 15 minutes, in milliseconds.
    static let lifetime: Int64 = 15 * 60 * 1_000

    struct Entry: Sendable {
        var origin: [UInt8]
        var key: PublicKey
        /// Seconds since 1970.
        var validity: Range<Int64>
        /// Milliseconds since 1970. From when to when it may serve; before, the clock was set back.
        var use: Range<Int64>

        func isOf(_ origin: Span<UInt8>) -> Bool {
            let own = self.origin.span
            guard own.count == origin.count else { return false }
            var difference: UInt8 = 0
            for index in own.indices { difference |= own[index] ^ origin[index] }
            return difference == 0
        }
    }

    private let entries = Mutex<[Entry]>([])

    /// The leaf's key, for a signature made at `time` (seconds since 1970), asked for at `now` (milliseconds).
    func key(_ origin: ArraySlice<UInt8>, validAt time: Int64, now: Int64) -> PublicKey? {
        self.entries.withLock { entries in
            for entry in entries where entry.isOf(origin.span) {
                return entry.use.contains(now) && entry.validity.contains(time) ? entry.key : nil
            }
            return nil
        }
    }

    /// A full cache forgets what would go next.
    func keep(_ key: PublicKey, under origin: ArraySlice<UInt8>, validIn validity: Range<Int64>, now: Int64) {
        let (end, isTooLate) = now.addingReportingOverflow(Self.lifetime)
        guard !isTooLate, origin.count <= Self.originBytesLimit else { return }
        let entry = Entry(origin: Array(origin), key: key, validity: validity, use: now..<end)
        self.entries.withLock { entries in
            let next = entries.indices.min { entries[$0].use.upperBound < entries[$1].use.upperBound }
            if let index = entries.firstIndex(where: { $0.isOf(origin.span) }) {
                entries[index] = entry
            } else if entries.count >= Self.entriesLimit, let next {
                entries[next] = entry
            } else {
                entries.append(entry)
            }
        }
    }

    var count: Int { self.entries.withLock(\.count) }
}
