package import Records

/// What a record in a retry topic carries beside what its publisher gave it: where it came from, what has happened to
/// it so far, and when it is to be called for again.
///
/// The key, the value and the publisher's headers travel untouched; the ticket is a set of headers after them.
package struct RetryTicket: Hashable, Sendable {
    /// The record as its publisher's topic has it.
    package var topic: String
    package var partition: Int32
    package var offset: Int64
    /// Wall-clock milliseconds since 1970, as are all times here. Nil if the record carried none.
    package var timestamp: Int64?
    /// Calls made so far, and how many failures of them counted against the record.
    package var attempts: Int
    package var failures: Int
    package var receivedAt: Int64
    package var firstFailedAt: Int64
    /// Why the last call failed, such as `http.503`.
    package var reason: String
    /// When its wait in this topic is over: the same time after its arrival for every record of a topic.
    package var due: Int64
    /// When it may be called for. If that is later than `due`, it has to wait once more.
    package var notBefore: Int64
    /// The record that this one was made of, `topic/partition/offset`: the publisher's, or one of a retry topic.
    package var from: String

    package init(
        of record: InboundRecord,
        attempts: Int,
        failures: Int,
        receivedAt: Int64,
        firstFailedAt: Int64,
        reason: String,
        due: Int64,
        notBefore: Int64,
        from: String
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
    }
}

extension RetryTicket {
    private static let prefix = "flotilla.retry."

    /// Of each header's value, in bytes: more than the longest name of a topic with a partition and an offset takes.
    /// A reason's code is short; whatever wrote it may not be.
    package static let textBytesLimit = 512

    private var texts: [(String, String?)] {
        [
            ("topic", self.topic), ("partition", String(self.partition)), ("offset", String(self.offset)),
            ("timestamp", self.timestamp.map { String($0) }), ("attempts", String(self.attempts)),
            ("failures", String(self.failures)), ("received_at", String(self.receivedAt)),
            ("first_failed_at", String(self.firstFailedAt)), ("reason", self.shortReason),
            ("due", String(self.due)),
            ("not_before", String(self.notBefore)), ("from", self.from),
        ]
    }

    /// The reason as far as there is room for it: no reason is worth a ticket that nobody can read.
    private var shortReason: String {
        var reason = self.reason
        while reason.utf8.count > Self.textBytesLimit { reason.unicodeScalars.removeLast() }
        return reason
    }

    /// The ticket as headers, in a fixed order.
    package var headers: [RecordHeader] {
        self.texts.compactMap { name, text in text.map { RecordHeader(Self.prefix + name, $0) } }
    }

    /// Reads the ticket of a record of a retry topic.
    ///
    /// - Returns: nil if there is none, or one that nobody can read: something is missing, said twice, too long, or
    ///   beyond what a worker writes. Nobody has called 2 billion times, and one more has to remain countable.
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
            // It may be negative: a publisher can date its record as it likes.
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
    }

    /// What a ticket's headers say, by their names in it; nil if one says nothing, too much, or is there twice.
    private static func texts(in headers: [RecordHeader]) -> [String: String]? {
        var texts: [String: String] = [:]
        for header in headers where header.name.hasPrefix(self.prefix) {
            guard let value = header.value, value.count <= self.textBytesLimit,
                let text = String(validating: value, as: UTF8.self),
                texts.updateValue(text, forKey: String(header.name.dropFirst(self.prefix.count))) == nil
            else { return nil }
        }
        return texts
    }

    /// The publisher's record that a record of a retry topic stands for.
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

    /// A record for a retry topic: the publisher's, and this ticket in the place of any that it may carry.
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
        headers.filter { !$0.name.hasPrefix(self.prefix) }
    }
}
