extension Outcome {
    /// Writes the fields of `flotilla.outcome.v1.Outcome`.
    func write(to message: inout ProtobufWriter) {
        // The id is appended directly, without making a string first.
        message.text(1) { self.appendID(to: &$0) }
        message.string(2, self.topic)
        message.optionalInt64(3, Int64(self.partition))
        message.optionalInt64(4, self.offset)
        message.string(5, self.fate.rawValue)
        if let reason = self.reason {
            message.message(6) { message in
                message.string(1, reason.code)
                message.string(2, reason.message)
            }
        }
        message.optionalInt64(7, Int64(Int32(clamping: self.attempts)))
        message.optionalString(8, self.deadLetterID)
        message.timestamp(9, self.receivedAt)
        message.timestamp(10, self.settledAt)
        message.string(11, self.worker)
        message.string(12, self.workerVersion)
    }
}

extension ProtobufWriter {
    /// Writes milliseconds since 1970 as a `google.protobuf.Timestamp`. A time beyond the range of the JSON
    /// mapping is moved to the nearer end.
    mutating func timestamp(_ number: Int, _ milliseconds: Int64) {
        let time = min(max(milliseconds, RFC3339.range.lowerBound), RFC3339.range.upperBound)
        let millisecond = (time % 1_000 + 1_000) % 1_000
        self.message(number) { message in
            message.int64(1, (time - millisecond) / 1_000)
            message.int64(2, millisecond * 1_000_000)
        }
    }
}
