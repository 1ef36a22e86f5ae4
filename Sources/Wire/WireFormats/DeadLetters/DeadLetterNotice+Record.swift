import Cryptography
package import Records

extension DeadLetterNotice {
    /// Returns the dead letter: the record's key, value and headers as they were, followed by the notice.
    ///
    /// If the letter would be larger than `encodedBytesLimit`, it leaves the value out and states the value's
    /// size and SHA-256 instead. It then points at the record by the topic, partition and offset in the
    /// notice. If that is not enough, the letter leaves out the record's own headers too, and last of all its
    /// key.
    ///
    /// - Parameters:
    ///   - encodedBytesLimit: the limit of `encodedBytesBound`, in bytes.
    ///   - omitsValue: leaves the value out whatever its size, because the value must not be stored again.
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
            let notice = letter.headers.filter { Self.isNotice($0.name) }
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
