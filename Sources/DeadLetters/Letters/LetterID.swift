import Cryptography
package import WireFormats

/// Which dead letter it is, whoever looks and however often it was written: `dl-` and 32 hexadecimal digits.
package struct LetterID: Hashable, Sendable {
    /// The digits' first and second half, as numbers of 64 bits that keep their bits.
    package let high: Int64
    package let low: Int64

    package init(high: Int64, low: Int64) {
        self.high = high
        self.low = low
    }

    package init?(_ text: some StringProtocol) {
        let digits = Array(text.utf8)
        guard digits.count == 35, digits.starts(with: "dl-".utf8),
            let high = Self.number(digits[3..<19]), let low = Self.number(digits[19...])
        else { return nil }
        self.init(high: high, low: low)
    }

    /// Without a detour through text: there are a million of these to read.
    private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
        var number: UInt64 = 0
        for digit in digits {
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                number = number << 4 | UInt64(digit - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"):
                number = number << 4 | UInt64(digit - UInt8(ascii: "a") + 10)
            default: return nil
            }
        }
        return Int64(bitPattern: number)
    }

    /// The first half of a SHA-256.
    init(digest: [UInt8]) {
        self.high = digest.prefix(8).reduce(0) { $0 << 8 | Int64($1) }
        self.low = digest.dropFirst(8).prefix(8).reduce(0) { $0 << 8 | Int64($1) }
    }

    /// What a letter with these facts is called: by its own id if that is the one which its source must have, and by
    /// where it lies otherwise. An id that does not fit its source could be somebody else's.
    package init(of facts: DeadLetterFacts, at position: LetterPosition, clusterID: String) {
        let claim = LetterClaim(facts, clusterID: clusterID)
        self =
            claim.flatMap { Self.settled($0, Digest.sha256($0.source.deadLetterText)) }
            ?? LetterID(digest: Digest.sha256(position.source(clusterID: clusterID).deadLetterText))
    }

    /// The claimed id, if the digest of its source is the one that it must be of.
    static func settled(_ claim: LetterClaim, _ digest: [UInt8]) -> LetterID? {
        LetterID(digest: digest) == claim.id ? claim.id : nil
    }
}

extension LetterID: CustomStringConvertible {
    package var description: String { "dl-" + Self.digits(self.high) + Self.digits(self.low) }

    private static func digits(_ number: Int64) -> String {
        let digits = String(UInt64(bitPattern: number), radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}
