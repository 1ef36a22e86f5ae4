import Cryptography
import Synchronization

/// Keys of leaves whose chains were found good, so that the next signature of the same leaf costs one verification
/// instead of three.
///
/// A hit gives what the whole way would give: an entry is kept under a digest of everything that the way depends on,
/// only after a signature by that key was good (so nobody but Apple fills it), and serves only times at which the
/// whole chain was valid. Apple's own library keeps them for 15 minutes too.
final class LeafKeyCache: Sendable {
    static let entriesLimit = 64
    /// 15 minutes, in milliseconds.
    static let lifetime: Int64 = 15 * 60 * 1_000

    struct Entry: Sendable {
        var key: PublicKey
        /// Seconds since 1970.
        var validity: Range<Int64>
        /// Milliseconds since 1970. From when to when it may serve; before, the clock was set back.
        var use: Range<Int64>
    }

    private let entries = Mutex<[[UInt8]: Entry]>([:])

    /// The leaf's key, for a signature made at `time` (seconds since 1970), asked for at `now` (milliseconds).
    func key(_ digest: [UInt8], validAt time: Int64, now: Int64) -> PublicKey? {
        self.entries.withLock { entries in
            guard let entry = entries[digest], entry.use.contains(now), entry.validity.contains(time) else {
                return nil
            }
            return entry.key
        }
    }

    /// A full cache forgets what would go next.
    func keep(_ key: PublicKey, under digest: [UInt8], validIn validity: Range<Int64>, now: Int64) {
        let (end, isTooLate) = now.addingReportingOverflow(Self.lifetime)
        guard !isTooLate else { return }
        self.entries.withLock { entries in
            if entries.count >= Self.entriesLimit, entries[digest] == nil,
                let next = entries.min(by: { $0.value.use.upperBound < $1.value.use.upperBound })
            {
                entries[next.key] = nil
            }
            entries[digest] = Entry(key: key, validity: validity, use: now..<end)
        }
    }

    var count: Int { self.entries.withLock(\.count) }
}
