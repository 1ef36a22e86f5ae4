import WireFormats

/// A dead letter, from the topic `T.dead-letter`: the record as it was, and in headers the reason why it could
/// not be finished.
public struct DeadLetter: Hashable, Sendable {
    /// The letter's id, which no other letter has.
    public var id: String
    /// `undecodable`, `invalid`, `rejected`, `exhausted`, `expired` or `too_large`. A reader must expect more.
    public var letterClass: String
    /// A stable code in dotted lower case, such as `gdt.-2`.
    public var reason: String
    /// One sentence for a person.
    public var text: String
    /// `yes`, `after_fix` or `no`: whether publishing the record again can help.
    public var replayable: String
    /// The topic from which the record was read.
    public var sourceTopic: String
    /// The partition from which the record was read.
    public var sourcePartition: Int32
    /// The offset at which the record was read.
    public var sourceOffset: Int64
    /// The number of calls that were made for the record.
    public var attempts: Int
    /// The name of the worker; empty if the letter does not say.
    public var worker: String
    /// The record's key and value and its own headers, without those of the letter. The value is nil for a
    /// tombstone, and where the letter had no room for it.
    public var record: Record

    /// Reads a dead letter; nil for a record that has not the headers of one.
    public init?(_ record: Record) {
        func number<Number: FixedWidthInteger>(_ name: String) -> Number? {
            record.header(name).flatMap { Number($0) }
        }
        guard let id = record.header("dlq.id"), let topic = record.header("__dlq.errors.topic"),
            let partition: Int32 = number("__dlq.errors.partition"),
            let offset: Int64 = number("__dlq.errors.offset")
        else { return nil }
        self.id = id
        self.letterClass = record.header("dlq.class") ?? ""
        self.reason = record.header("dlq.reason") ?? ""
        self.text = record.header(DeadLetterNotice.messageHeaderName) ?? ""
        self.replayable = record.header("dlq.replayable") ?? ""
        self.sourceTopic = topic
        self.sourcePartition = partition
        self.sourceOffset = offset
        self.attempts = number("dlq.attempts") ?? 0
        self.worker = record.header("dlq.worker") ?? ""
        self.record = record
        self.record.headers.removeAll { DeadLetterNotice.isNotice($0.name) }
    }
}
