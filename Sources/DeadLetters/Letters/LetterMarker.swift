import Cryptography
import WireFormats

/// Gives letters their ids and their keys' marks, in memory of its own. Belongs to one thread.
struct LetterMarker {
    let clusterID: String
    let mark: KeyedMark
    private let machine = DigestMachine()
    private var digest: [UInt8] = []

    init(clusterID: String, mark: KeyedMark) {
        self.clusterID = clusterID
        self.mark = mark
    }

    mutating func id(_ claim: LetterClaim?, at position: LetterPosition) -> LetterID {
        if let claim {
            self.machine(claim.source.deadLetterText, into: &self.digest)
            if let id = LetterID.settled(claim, self.digest) { return id }
        }
        self.machine(position.source(clusterID: self.clusterID).deadLetterText, into: &self.digest)
        return LetterID(digest: self.digest)
    }

    mutating func key(_ key: [UInt8]) -> Int64 {
        self.mark.number(key, with: self.machine, in: &self.digest)
    }
}
