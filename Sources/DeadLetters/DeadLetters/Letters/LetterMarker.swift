import Cryptography
import WireFormats

/// Computes the ids of letters and the marks of their keys, and reuses its memory from letter to letter.
///
/// Belongs to one thread.
struct LetterMarker {
    let clusterID: String
    let mark: KeyedMark
    private let machine = DigestMachine()
    private var digest: [UInt8] = []

    init(clusterID: String, mark: KeyedMark) {
        self.clusterID = clusterID
        self.mark = mark
    }

    /// Returns the id of a letter: the claimed one if it fits its source, and one made of the letter's
    /// position otherwise.
    mutating func id(_ claim: LetterClaim?, at position: LetterPosition) -> LetterID {
        if let claim {
            for source in claim.sources {
                self.machine(source.deadLetterText, into: &self.digest)
                if let id = LetterID.settled(claim, self.digest) { return id }
            }
        }
        self.machine(position.source(clusterID: self.clusterID).deadLetterText, into: &self.digest)
        return LetterID(digest: self.digest)
    }

    /// Returns the keyed mark of a record's key, as a number of 48 bits.
    mutating func key(_ key: [UInt8]) -> Int64 {
        self.mark.number(key, with: self.machine, in: &self.digest)
    }
}
