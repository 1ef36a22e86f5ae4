extension Outcome {
    /// Writes the members of `flotilla.outcome.v1.Outcome`.
    func write(to json: inout JSONWriter) {
        json.text("id") { self.appendID(to: &$0) }
        json.string("topic", self.topic)
        json.int32("partition", self.partition)
        json.int64("offset", self.offset)
        json.string("fate", self.fate.rawValue)
        if let reason = self.reason {
            json.object("reason") { json in
                json.string("code", reason.code)
                json.string("message", reason.message)
            }
        }
        json.int32("attempts", Int32(clamping: self.attempts))
        json.optionalString("deadLetterId", self.deadLetterID)
        json.timestamp("receivedAt", self.receivedAt)
        json.timestamp("settledAt", self.settledAt)
        json.string("worker", self.worker)
        json.string("workerVersion", self.workerVersion)
    }
}
