/// The outcome of one input record. The worker publishes one to `T.result` for every record, whatever the
/// fate.
package struct Outcome: Hashable, Sendable {
    /// How a record ended.
    package enum Fate: String, Hashable, Sendable, CaseIterable {
        /// The record's task is done.
        case succeeded
        /// The upstream, or a rule of ours, refused the record for good, and its publisher cannot correct it.
        case rejected
        /// The record's deadline passed before it was settled.
        case expired
        /// The record was published to the dead-letter topic.
        case deadLettered = "dead_lettered"
    }

    /// The topic of the input record.
    package var topic: String
    /// The partition of the input record.
    package var partition: Int32
    /// The offset of the input record.
    package var offset: Int64
    package var fate: Fate
    /// The reason; nil only for `succeeded`.
    package var reason: Reason?
    /// The number of calls to the upstream for this record. Calls that its retry ticket counts are included;
    /// calls of a worker that crashed before it wrote a ticket are not.
    package var attempts: Int
    /// The id of the dead letter; set only for `deadLettered`.
    package var deadLetterID: String?
    /// When the worker took up the record, in wall-clock milliseconds since 1970.
    package var receivedAt: Int64
    /// When the record was settled, in wall-clock milliseconds since 1970.
    package var settledAt: Int64
    /// The name of the worker that settled the record.
    package var worker: String
    /// The version of the worker that settled the record.
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

    /// The id `topic/partition/offset` of the input record. It is deterministic, so a repeat after a crash
    /// has the same id.
    package var id: String {
        var id: [UInt8] = []
        self.appendID(to: &id)
        return String(decoding: id, as: UTF8.self)
    }

    /// Appends `id` without making a string.
    func appendID(to bytes: inout [UInt8]) {
        bytes += self.topic.utf8
        bytes.append(UInt8(ascii: "/"))
        bytes.appendDecimal(Int64(self.partition))
        bytes.append(UInt8(ascii: "/"))
        bytes.appendDecimal(self.offset)
    }
}

/// The reason why a record, a call or a check did not simply succeed.
package struct Reason: Hashable, Sendable {
    /// A stable code for programs in dotted lower case, such as `gdt.-12` or `device_id.zero`.
    package var code: String
    /// One sentence for a person. It holds nothing secret and nothing personal.
    package var message: String

    package init(_ code: String, _ message: String) {
        self.code = code
        self.message = message
    }
}

extension Reason {
    /// The reason for a record that was given up because processes died while they were handling it.
    package static let crashLoop = Reason(
        "crash_loop",
        "The worker died three times while it was handling this record."
    )
}
