/// What became of one input record: published to `T.result` for every record, whatever its fate.
package struct Outcome: Hashable, Sendable {
    package enum Fate: String, Hashable, Sendable, CaseIterable {
        case succeeded
        /// The upstream, or a rule of ours, gave a final no about a record that its publisher cannot mend.
        case rejected
        /// The record's deadline passed first.
        case expired
        case deadLettered = "dead_lettered"
    }

    package var topic: String
    package var partition: Int32
    package var offset: Int64
    package var fate: Fate
    /// Nil only for `succeeded`.
    package var reason: Reason?
    /// Calls made to the upstream for this record by the process that settled it.
    package var attempts: Int
    /// Set only for `deadLettered`.
    package var deadLetterID: String?
    /// When the record was taken up and settled: wall-clock milliseconds since 1970.
    package var receivedAt: Int64
    package var settledAt: Int64
    package var worker: String
    package var workerVersion: String

    package init(
        topic: String,
        partition: Int32,
        offset: Int64,
        fate: Fate,
        reason: Reason?,
        attempts: Int,
        deadLetterID: String?,
        receivedAt: Int64,
        settledAt: Int64,
        worker: String,
        workerVersion: String
    ) {
        self.topic = topic
        self.partition = partition
        self.offset = offset
        self.fate = fate
        self.reason = reason
        self.attempts = attempts
        self.deadLetterID = deadLetterID
        self.receivedAt = receivedAt
        self.settledAt = settledAt
        self.worker = worker
        self.workerVersion = workerVersion
    }

    /// Deterministic, `topic/partition/offset`: a repeat after a crash carries the same id.
    package var id: String {
        var id: [UInt8] = []
        self.appendID(to: &id)
        return String(decoding: id, as: UTF8.self)
    }

    func appendID(to bytes: inout [UInt8]) {
        bytes += self.topic.utf8
        bytes.append(UInt8(ascii: "/"))
        bytes.appendDecimal(Int64(self.partition))
        bytes.append(UInt8(ascii: "/"))
        bytes.appendDecimal(self.offset)
    }
}

/// Why something did not simply succeed.
package struct Reason: Hashable, Sendable {
    /// Stable and machine-readable, dotted lower case, such as `gdt.-12` or `device_id.zero`.
    package var code: String
    /// One sentence for a person. Holds no secret and nothing personal.
    package var message: String

    package init(_ code: String, _ message: String) {
        self.code = code
        self.message = message
    }
}
