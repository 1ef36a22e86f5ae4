import Cryptography
import Synchronization

/// A cache of the keys of leaf certificates whose chains were verified, so that the next signature by the
/// same leaf costs one verification instead of three.
///
/// A cached key gives the result that the full verification would give. An entry is kept under all bytes that
/// the verification depends on (its origin). An entry is made only after a signature by the key was good, so
/// only Apple can cause one. An entry is used only for times at which the whole chain was valid. Apple's own
/// library keeps keys for 15 minutes too.
///
/// Entries are found by comparing the bytes themselves, one entry after the other. A digest of the bytes
/// would take a tenth of the time of the signature. A comparison takes nearly none, since Apple uses a
/// handful of leaves at a time.
///
/// Safe to use from any thread.
final class LeafKeyCache: Sendable {
    /// The most entries that are kept.
    static let entriesLimit = 64
    /// The longest origin that is kept: three times the size of a chain. Without this limit a client with one
    /// good receipt could make us keep it in many wrappings of megabytes each.
    static let originBytesLimit = 16 * 1024
    /// How long an entry is used, in milliseconds: 15 minutes.
    static let lifetime: Int64 = 15 * 60 * 1_000

    /// A key, and the conditions for its use.
    struct Entry: Sendable {
        /// The bytes that the verification of the chain depends on.
        var origin: [UInt8]
        var key: PublicKey
        /// When the whole chain is valid, in seconds since 1970.
        var validity: Range<Int64>
        /// When the entry may be used, in milliseconds since 1970. A time before this range means that the
        /// clock was set back.
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

    /// Returns the leaf's key; nil if none is cached for this origin and these times.
    ///
    /// - Parameters:
    ///   - time: the time of the signature, in seconds since 1970.
    ///   - now: the current time, in milliseconds since 1970.
    func key(_ origin: ArraySlice<UInt8>, validAt time: Int64, now: Int64) -> PublicKey? {
        self.entries.withLock { entries in
            for entry in entries where entry.isOf(origin.span) {
                return entry.use.contains(now) && entry.validity.contains(time) ? entry.key : nil
            }
            return nil
        }
    }

    /// Keeps a key for 15 minutes. In a full cache it replaces the entry that would expire first.
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

    /// The number of entries, expired ones included.
    var count: Int { self.entries.withLock(\.count) }
}
