import FlotillaRecords
import FlotillaWorkerKit

/// The encryption of the company's own build of the SDK, codec 7: each byte minus a byte of the key.
///
/// A real one would be a cipher of a library; here it is short, so that the place of it is seen.
struct HouseCipher: UploadCipher {
    struct Unreadable: Error {}

    let codec = 7
    let key: SecretText

    func decrypt(_ body: [UInt8], target: String) throws -> [UInt8] {
        let key = Array(self.key.reveal().utf8)
        guard !key.isEmpty, target.contains("stm=") else { throw Unreadable() }
        return body.indices.map { body[$0] &- key[$0 % key.count] }
    }
}
