import Cryptography
package import Records

extension DeadLetterNotice {
    /// The dead letter itself: key, value and headers of the record as they were, and the notice.
    ///
    /// Where that is more than `encodedBytesLimit`, the value is left out and described instead, so that the
    /// dead letter points at the record: its topic, partition and offset are in the notice. Should that not be
    /// enough, the record's own headers go too, and at the very last its key.
    ///
    /// - Parameter omitsValue: leaves the value out whatever its size, because it holds what must not be stored again.
    package func record(
        of dead: InboundRecord,
        to topic: String,
        partition: Int32? = nil,
        encodedBytesLimit: Int,
        omitsValue: Bool = false
    ) -> OutboundRecord {
        var letter = OutboundRecord(
            topic: topic,
            key: dead.key,
            value: dead.value,
            headers: self.headers(over: dead.headers),
            partition: partition
        )
        if omitsValue || letter.encodedBytesBound > encodedBytesLimit, let value = dead.value {
            letter.value = nil
            let cause = omitsValue ? "personal" : DeadLetter.Class.tooLarge.rawValue
            letter.headers.append(RecordHeader("dlq.value_omitted", cause))
            letter.headers.append(RecordHeader("dlq.value_bytes", String(value.count)))
            letter.headers.append(RecordHeader("dlq.value_sha256", Digest.sha256.hexadecimal(value)))
        }
        if letter.encodedBytesBound > encodedBytesLimit {
            let notice = letter.headers.filter { Self.headerNames.contains($0.name) }
            if notice.count < letter.headers.count {
                letter.headers = notice
                letter.headers.append(RecordHeader("dlq.headers_omitted", DeadLetter.Class.tooLarge.rawValue))
            }
        }
        if letter.encodedBytesBound > encodedBytesLimit, letter.key != nil {
            letter.key = nil
            letter.headers.append(RecordHeader("dlq.key_omitted", DeadLetter.Class.tooLarge.rawValue))
        }
        return letter
    }
}
