import Cryptography
import Kafka
import Records
import WireFormats

/// The kinds of things that a home partition remembers. The raw value is the first byte of a changelog key.
package enum RememberedKind: UInt8, CaseIterable {
    /// An event of an SDK, so that an upload that comes twice gives each event once.
    case event = 0x65
    /// The clicks of a device, or one click by its id.
    case click = 0x63
    /// A conversion that was passed on to its report.
    case conversion = 0x61
    /// An activation that waits for its click.
    case waiting = 0x77
}

/// The key of a remembered thing in the changelog: its kind and the hash of its name, 17 bytes.
package struct RememberedKey: Hashable {
    var kind: RememberedKind
    var key: RecentTable.Key

    init(_ kind: RememberedKind, _ key: RecentTable.Key) {
        self.kind = kind
        self.key = key
    }

    /// Makes the key of a thing with this name.
    package init(_ kind: RememberedKind, named name: String) {
        let digest = Digest.sha256(Array(name.utf8))
        self.init(kind, RecentTable.Key(high: Self.word(digest[0..<8]), low: Self.word(digest[8..<16])))
    }

    /// Reads a key of the changelog; nil if it is none.
    init?(_ bytes: [UInt8]?) {
        guard let bytes, bytes.count == 17, let kind = RememberedKind(rawValue: bytes[0]) else { return nil }
        self.init(kind, RecentTable.Key(high: Self.word(bytes[1..<9]), low: Self.word(bytes[9..<17])))
    }

    /// The key in the changelog.
    package var bytes: [UInt8] { [self.kind.rawValue] + Self.bytes(self.key.high) + Self.bytes(self.key.low) }

    private static func word(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    private static func bytes(_ word: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * $0)) }
    }
}

extension RecentTable.Entry {
    /// Reads a value of the changelog; nil if it is none.
    init?(changelog bytes: [UInt8]?) {
        guard let bytes, let end = bytes.firstIndex(of: 0x20),
            let seen = Int64(String(decoding: bytes[..<end], as: UTF8.self))
        else { return nil }
        self.init(seen: seen, text: Array(bytes[(end + 1)...]))
    }

    /// The value in the changelog: the time, a space and the text.
    var changelog: [UInt8] { Array("\(self.seen) ".utf8) + self.text }
}
