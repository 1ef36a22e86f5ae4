import Cryptography
import WireFormats

/// The id of a dead letter: `dl-` and 32 hexadecimal digits, the first half of a SHA-256 over the position and
/// the timestamp of the dead record.
///
/// Every copy of a letter has the same id, and every reader computes the same one.
package struct LetterID: Hashable, Sendable {
    /// The first 16 digits as a number of 64 bits. The bits are kept, so the number may be negative.
    package let high: Int64
    /// The last 16 digits as a number of 64 bits. The bits are kept, so the number may be negative.
    package let low: Int64

    /// Creates an id from the two numbers that the index keeps of it.
    package init(high: Int64, low: Int64) {
        self.high = high
        self.low = low
    }

    /// Reads an id; nil unless the text is `dl-` and 32 lower-case hexadecimal digits.
    package init?(_ text: some StringProtocol) {
        let digits = Array(text.utf8)
        guard digits.count == 35, digits.starts(with: "dl-".utf8),
            let high = Self.number(digits[3..<19]), let low = Self.number(digits[19...])
        else { return nil }
        self.init(high: high, low: low)
    }

    /// Reads digits without making a text of them, because a first refresh reads a million ids.
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

    /// Creates an id from the first 16 bytes of a SHA-256.
    init(digest: [UInt8]) {
        self.high = digest.prefix(8).reduce(0) { $0 << 8 | Int64($1) }
        self.low = digest.dropFirst(8).prefix(8).reduce(0) { $0 << 8 | Int64($1) }
    }

    /// Computes the id of a letter from its headers and its position.
    ///
    /// If the id in the headers is the digest of the source that the headers name, it is the letter's id.
    /// Otherwise the id is made of the letter's own position, because an id that does not fit its source
    /// could belong to another letter.
    package init(of facts: DeadLetterFacts, at position: LetterPosition, clusterID: String) {
        if let claim = LetterClaim(facts, clusterID: clusterID) {
            for source in claim.sources {
                guard let id = Self.settled(claim, Digest.sha256(source.deadLetterText)) else { continue }
                self = id
                return
            }
        }
        self.init(digest: Digest.sha256(position.source(clusterID: clusterID).deadLetterText))
    }

    /// Returns the claimed id if it is made of this digest of the claim's source; nil otherwise.
    static func settled(_ claim: LetterClaim, _ digest: [UInt8]) -> LetterID? {
        LetterID(digest: digest) == claim.id ? claim.id : nil
    }
}

extension LetterID: CustomStringConvertible {
    /// The id as a text: `dl-` and 32 lower-case hexadecimal digits.
    package var description: String { "dl-" + Self.digits(self.high) + Self.digits(self.low) }

    private static func digits(_ number: Int64) -> String {
        let digits = String(UInt64(bitPattern: number), radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}
