import SwiftProtobuf
import WireFormats
package import WireMessages

/// The outcome of one input record, as every result carries it.
public struct Outcome: Hashable, Sendable {
    package var message: Flotilla_Outcome_V1_Outcome

    package init(_ message: Flotilla_Outcome_V1_Outcome) { self.message = message }

    /// Makes a value in which nothing is set.
    public init() { self.message = Flotilla_Outcome_V1_Outcome() }

    /// The input record's `topic/partition/offset`. A repeat after a crash has the same id: keep the first.
    public var id: String {
        get { self.message.id }
        set { self.message.id = newValue }
    }

    /// The input record's topic.
    public var topic: String {
        get { self.message.topic }
        set { self.message.topic = newValue }
    }

    /// The input record's partition.
    public var partition: Int32? {
        get { self.message.hasPartition ? self.message.partition : nil }
        set {
            if let newValue { self.message.partition = newValue } else { self.message.clearPartition() }
        }
    }

    /// The input record's offset.
    public var offset: Int64? {
        get { self.message.hasOffset ? self.message.offset : nil }
        set {
            if let newValue { self.message.offset = newValue } else { self.message.clearOffset() }
        }
    }

    /// `succeeded`, `rejected`, `expired` or `dead_lettered`. A reader must expect more.
    public var fate: String {
        get { self.message.fate }
        set { self.message.fate = newValue }
    }

    /// The reason; nil only for `succeeded`.
    public var reason: OutcomeReason? {
        get { self.message.hasReason ? OutcomeReason(self.message.reason) : nil }
        set {
            if let newValue { self.message.reason = newValue.message } else { self.message.clearReason() }
        }
    }

    /// The number of calls to the upstream for this record.
    public var attempts: Int32? {
        get { self.message.hasAttempts ? self.message.attempts : nil }
        set {
            if let newValue { self.message.attempts = newValue } else { self.message.clearAttempts() }
        }
    }

    /// The header `dlq.id` of the dead letter; nil unless the fate is `dead_lettered`.
    public var deadLetterID: String? {
        get { self.message.hasDeadLetterID ? self.message.deadLetterID : nil }
        set {
            if let newValue { self.message.deadLetterID = newValue } else { self.message.clearDeadLetterID() }
        }
    }

    /// The time at which the worker took up the record, in milliseconds since 1970.
    public var receivedAtMS: Int64? {
        get { self.message.hasReceivedAt ? self.message.receivedAt.milliseconds : nil }
        set {
            if let newValue {
                self.message.receivedAt = Google_Protobuf_Timestamp(milliseconds: newValue)
            } else {
                self.message.clearReceivedAt()
            }
        }
    }

    /// The time at which the record was settled, in milliseconds since 1970.
    public var settledAtMS: Int64? {
        get { self.message.hasSettledAt ? self.message.settledAt.milliseconds : nil }
        set {
            if let newValue {
                self.message.settledAt = Google_Protobuf_Timestamp(milliseconds: newValue)
            } else {
                self.message.clearSettledAt()
            }
        }
    }

    /// The name of the worker that settled the record.
    public var worker: String {
        get { self.message.worker }
        set { self.message.worker = newValue }
    }

    /// The version of that worker.
    public var workerVersion: String {
        get { self.message.workerVersion }
        set { self.message.workerVersion = newValue }
    }
}

/// The reason why a record did not succeed.
public struct OutcomeReason: Hashable, Sendable {
    package var message: Flotilla_Outcome_V1_Reason

    package init(_ message: Flotilla_Outcome_V1_Reason) { self.message = message }

    /// Makes a value in which nothing is set.
    public init() { self.message = Flotilla_Outcome_V1_Reason() }

    /// A stable code in dotted lower case, such as `device_id.zero`.
    public var code: String {
        get { self.message.code }
        set { self.message.code = newValue }
    }

    /// One sentence for a person, without secrets and personal data.
    public var text: String {
        get { self.message.message }
        set { self.message.message = newValue }
    }
}
