package import Records

/// The headers that a record in a retry topic carries in addition to its own: the original's place, the calls
/// made so far, and the time of the next call.
///
/// The key, the value and the publisher's headers are copied untouched; the ticket's headers follow them.
package struct RetryTicket: Hashable, Sendable {
    /// The topic of the publisher's record.
    package var topic: String
    /// The partition of the publisher's record.
    package var partition: Int32
    /// The offset of the publisher's record.
    package var offset: Int64
    /// The timestamp of the publisher's record, in wall-clock milliseconds since 1970 as all times here; nil
    /// if it carries none.
    package var timestamp: Int64?
    /// The number of calls made so far.
    package var attempts: Int
    /// How many failed calls counted against the record's limit of attempts.
    package var failures: Int
    /// When a worker first took up the record.
    package var receivedAt: Int64
    /// When the first call for the record failed.
    package var firstFailedAt: Int64
    /// The reason code of the last failed call, such as `http.503`.
    package var reason: String
    /// When the wait in this retry topic is over. All records of one retry topic wait equally long.
    package var due: Int64
    /// The earliest time for the next call. If it is later than `due`, the record has to wait once more.
    package var notBefore: Int64
    /// The record that this copy was made of, as `topic/partition/offset`: the publisher's record, or one of
    /// a retry topic.
    package var from: String
    /// The mark of the cluster, topic and partition of the publisher's record, as it stands beside everything that is
    /// stored by offset; nil in a ticket of an earlier version.
    package var place: String?

    /// Makes the ticket of the publisher's record.
    package init(
        of record: InboundRecord,
        attempts: Int,
        failures: Int,
        receivedAt: Int64,
        firstFailedAt: Int64,
        reason: String,
        due: Int64,
        notBefore: Int64,
        from: String,
        place: String? = nil
    ) {
        self.topic = record.topic
        self.partition = record.partition
        self.offset = record.offset
        self.timestamp = record.timestamp
        self.attempts = attempts
        self.failures = failures
        self.receivedAt = receivedAt
        self.firstFailedAt = firstFailedAt
        self.reason = reason
        self.due = due
        self.notBefore = notBefore
        self.from = from
        self.place = place
    }
}

extension RetryTicket {
    private static let prefix = "flotilla.retry."

    /// The most bytes of each header's value: more than the longest topic name with a partition and an offset
    /// takes. Reason codes are short, but whoever chose one need not have kept to that.
    package static let textBytesLimit = 512

    private var texts: [(String, String?)] {
        [
            ("topic", self.topic), ("partition", String(self.partition)), ("offset", String(self.offset)),
            ("timestamp", self.timestamp.map { String($0) }), ("attempts", String(self.attempts)),
            ("failures", String(self.failures)), ("received_at", String(self.receivedAt)),
            ("first_failed_at", String(self.firstFailedAt)), ("reason", self.shortReason),
            ("due", String(self.due)),
            ("not_before", String(self.notBefore)), ("from", self.from),
            ("place", self.place),
        ]
    }

    /// The reason, cut to the limit: a longer text would make the whole ticket unreadable.
    private var shortReason: String {
        var reason = self.reason
        while reason.utf8.count > Self.textBytesLimit { reason.unicodeScalars.removeLast() }
        return reason
    }

    /// The ticket as headers, in a fixed order.
    package var headers: [RecordHeader] {
        self.texts.compactMap { name, text in text.map { RecordHeader(Self.prefix + name, $0) } }
    }

    /// Reads the ticket from the headers of a record of a retry topic.
    ///
    /// - Returns: nil if there is no ticket, or it cannot be used: a header is missing, occurs twice or is
    ///   too long, or a value is beyond what a worker writes. Counts have to fit into 32 bits, so that one
    ///   more can always be counted.
    package init?(_ headers: [RecordHeader]) {
        guard let texts = Self.texts(in: headers) else { return nil }
        func number<Number: FixedWidthInteger>(_ name: String) -> Number? {
            texts[name].flatMap { Number($0) }.flatMap { $0 < 0 ? nil : $0 }
        }
        guard let topic = texts["topic"], let partition: Int32 = number("partition"),
            let offset: Int64 = number("offset"), let attempts: Int32 = number("attempts"),
            let failures: Int32 = number("failures"), let receivedAt: Int64 = number("received_at"),
            let firstFailedAt: Int64 = number("first_failed_at"), let reason = texts["reason"],
            let due: Int64 = number("due"), let notBefore: Int64 = number("not_before"),
            let from = texts["from"]
        else { return nil }
        if let text = texts["timestamp"] {
            // The timestamp may be negative, because a publisher can date its record freely.
            guard let timestamp = Int64(text) else { return nil }
            self.timestamp = timestamp
        }
        self.topic = topic
        self.partition = partition
        self.offset = offset
        self.attempts = Int(attempts)
        self.failures = Int(failures)
        self.receivedAt = receivedAt
        self.firstFailedAt = firstFailedAt
        self.reason = reason
        self.due = due
        self.notBefore = notBefore
        self.from = from
        self.place = texts["place"]
    }

    /// Returns the values of the ticket's headers by their names without the prefix. Nil if one has no value,
    /// is too long, is not UTF-8, or occurs twice.
    private static func texts(in headers: [RecordHeader]) -> [String: String]? {
        var texts: [String: String] = [:]
        for header in headers where header.isNamed(startingWith: self.prefix) {
            // No worker writes so long a name.
            guard header.name.utf8.count <= self.textBytesLimit else { return nil }
            let name = String(decoding: header.name.utf8.dropFirst(self.prefix.utf8.count), as: UTF8.self)
            guard let value = header.value, value.count <= self.textBytesLimit,
                let text = String(validating: value, as: UTF8.self),
                texts.updateValue(text, forKey: name) == nil
            else { return nil }
        }
        return texts
    }

    /// Returns the publisher's record that a record of a retry topic stands for, without the ticket.
    package func original(of record: InboundRecord) -> InboundRecord {
        InboundRecord(
            topic: self.topic,
            partition: self.partition,
            offset: self.offset,
            timestamp: self.timestamp,
            key: record.key,
            value: record.value,
            headers: Self.stripped(record.headers)
        )
    }

    /// Returns a record for a retry topic: the publisher's record with this ticket. An older ticket in its
    /// headers is replaced.
    package func record(of original: InboundRecord, to topic: String, partition: Int32) -> OutboundRecord {
        OutboundRecord(
            topic: topic,
            key: original.key,
            value: original.value,
            headers: Self.stripped(original.headers) + self.headers,
            partition: partition
        )
    }

    private static func stripped(_ headers: [RecordHeader]) -> [RecordHeader] {
        headers.filter { !$0.isNamed(startingWith: self.prefix) }
    }
}
