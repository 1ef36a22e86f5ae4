import Harness
import Records
import WireFormats

// The kinds whose records are as large as the topic takes.
extension InputKind {
    /// The largest batch that a topic takes by default (`max.message.bytes`), in bytes.
    static let largestBatch = 1_048_588
    /// The bytes that a large value or key leaves for the rest of its batch: a short key or value, and the frame. The
    /// outcome of a record with the long key is too large for a worker as long as it has the key.
    private static let rest = 500

    /// A value that begins like JSON and never ends, as large as the topic takes.
    static let oversizedValue =
        Array(#"{"appId":"112233","ballast":""#.utf8)
        + [UInt8](repeating: UInt8(ascii: "x"), count: largestBatch - rest)

    /// The record key with this number, as a record of this kind has it.
    func key(_ number: Int) -> [UInt8] {
        let key = ChaosAudit.key(number)
        guard self == .longKey else { return key }
        return key + [UInt8](repeating: UInt8(ascii: "k"), count: Self.largestBatch - Self.rest - key.count)
    }

    /// Whether an outcome may stand under this key. The outcome of a record with a long key may leave the key out, and
    /// must then say how long the key is.
    ///
    /// - Parameter number: the number of the input's key.
    func mayHaveOutcome(_ record: InboundRecord, under key: [UInt8]?, number: Int) -> Bool {
        let own = self.key(number)
        if key == own { return true }
        return self == .longKey && key == nil
            && record.text(OutboundRecord.keyOmittedHeader) == String(own.count)
    }
}
