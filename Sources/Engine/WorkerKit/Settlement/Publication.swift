import Records

/// The records that the broker is to have because of one record in hand, and how far it has them.
struct Publication: Sendable {
    /// The purposes of a publication.
    enum Purpose: Sendable {
        /// The record ends: an outcome is written, after a dead letter if it has become one.
        case end(Settlement)
        /// The record goes on in a retry topic.
        case copy
        /// The record goes to the parking topic.
        case ticket
    }

    /// The records, in the order in which they are sent.
    private(set) var records: [OutboundRecord]
    private(set) var purpose: Purpose
    /// The bytes of the outcome and of the records for channels; 0 if there are none. A dead letter or a copy
    /// shares its bytes with the record in hand, but these have their own.
    let outcomeBytes: Int
    /// The number of records, at the beginning, that go to channels of the handler.
    private let channelCount: Int
    /// The number of records that the broker has acknowledged. The next one is on its way.
    private(set) var acknowledged = 0
    /// The number of times in a row that the producer or the broker has refused a record.
    private(set) var refusals = 0
    /// Whether a record was sent in the current transaction.
    var isInTransaction = false

    /// - Parameters:
    ///   - records: The records, of which the last one is the outcome if the purpose is the end.
    ///   - ticketEnd: The tombstone of the record's ticket; nil if it has none.
    init(_ records: [OutboundRecord], for purpose: Purpose, ticketEnd: OutboundRecord? = nil) {
        self.purpose = purpose
        if case .end(let settlement) = purpose {
            self.channelCount = settlement.death == nil ? max(0, records.count - 1) : 0
            let own = records.suffix(self.channelCount + 1)
            self.outcomeBytes = own.reduce(0) { $0 + ($1.value?.count ?? 0) }
        } else {
            self.channelCount = 0
            self.outcomeBytes = 0
        }
        self.records = records
        if let ticketEnd { self.records.append(ticketEnd) }
    }

    /// The end of the record; nil if the record only goes on elsewhere.
    var settlement: Settlement? {
        guard case .end(let settlement) = self.purpose else { return nil }
        return settlement
    }

    /// The first record that the broker has not acknowledged; nil if it has acknowledged all.
    var current: OutboundRecord? {
        self.records.indices.contains(self.acknowledged) ? self.records[self.acknowledged] : nil
    }

    var isAcknowledged: Bool { self.acknowledged >= self.records.count }

    /// The rejection of which `current` is the dead letter; nil if it is no dead letter. The outcome that
    /// names a dead letter is sent only after the letter is acknowledged.
    var currentDeath: Settlement.Death? { self.acknowledged == 0 ? self.settlement?.death : nil }

    /// Whether `current` goes to a channel of the handler.
    var isInChannel: Bool { self.acknowledged < self.channelCount }

    /// Notes that the broker has acknowledged `current`.
    mutating func acknowledgeOne() {
        self.acknowledged += 1
        self.refusals = 0
    }

    /// Notes that `current` was refused.
    mutating func refused() { self.refusals += 1 }

    /// Replaces `current` by a smaller record.
    mutating func shrink(to record: OutboundRecord, _ settlement: Settlement? = nil) {
        guard self.records.indices.contains(self.acknowledged) else { return }
        self.records[self.acknowledged] = record
        if let settlement { self.purpose = .end(settlement) }
    }

    /// Starts over, because the transaction in which records were sent was aborted.
    mutating func startOver() {
        self.acknowledged = 0
        self.refusals = 0
        self.isInTransaction = false
    }
}
