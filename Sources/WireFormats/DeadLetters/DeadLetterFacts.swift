package import Records

/// What the headers of a dead letter say, whoever wrote them.
///
/// Anybody may have written a header, so nothing here is more than a claim: what is missing, malformed or beyond
/// belief is nil, and where a name is there twice its last value counts, as for Kafka's own clients.
package struct DeadLetterFacts: Hashable, Sendable {
    /// What did not fit into the letter, as the notice tells it.
    package struct Omission: Hashable, Sendable {
        /// The value was left out, and was so long, and had this digest in hexadecimal digits.
        package var valueOmitted: Bool
        package var valueBytes: Int?
        package var valueSHA256: String?
        package var headersOmitted: Bool
        package var keyOmitted: Bool
    }

    package var dialect = DeadLetterDialect.unknown
    /// `dlq.id`, if it has the form of one.
    package var claimedID: String?
    /// A name that Kafka allows for a topic.
    package var sourceTopic: String?
    package var sourcePartition: Int32?
    package var sourceOffset: Int64?
    package var sourceGroup: String?
    /// Wall-clock milliseconds since 1970, as all times here.
    package var originalTimestamp: Int64?
    /// One of `DeadLetter.Class`, or `exception`, or a word of as few values; `unknown` where nothing tells.
    package var kind = Self.unknown
    /// A stable code: at most 120 visible ASCII characters. `unknown` where nothing tells.
    package var reason = Self.unknown
    /// At most 1 KiB, and never a stack trace. May hold anything else, personal data and control characters too.
    package var message = ""
    package var replayable: DeadLetter.Replayable?
    package var attempts: Int?
    package var firstFailedAt: Int64?
    package var failedAt: Int64?
    package var upstream: String?
    package var upstreamStatus: Int?
    package var upstreamRequestID: String?
    /// Who gave up on the record: our worker, or a group, connector, processor node or handler.
    package var worker: String?
    package var workerVersion: String?
    package var omission: Omission?
    /// How often it has been replayed, 0 to a million.
    package var replayCount = 0
    package var replayOf: String?
    package var replayID: String?
    /// Of the value before its first edit, in hexadecimal digits.
    package var editedSHA256: String?

    package static let unknown = "unknown"
    package static let reasonBytesLimit = 120
    package static let messageBytesLimit = 1024
    package static let replayCountLimit = 1_000_000

    /// Reads them in one pass.
    package init(_ headers: HeaderBlock) { self.init(headers, rules: .standard) }

    /// - Parameter rules: make a reason of a message, for dialects that have no more than that.
    package init(_ headers: borrowing HeaderBlock, rules: ReasonRules) {
        let found = FoundFields(headers)
        self.dialect = found.dialect
        self.readReplay(found)
        switch found.dialect {
        case .flotilla: self.readNotice(found)
        case .kip1191: self.readKafka(found, rules)
        case .spring: self.readSpring(found, rules)
        case .connect: self.readConnect(found, rules)
        case .streams: self.readStreams(found, rules)
        case .karafka: self.readKarafka(found)
        case .watermill: self.readWatermill(found, rules)
        case .unknown: self.readPlain(found, rules)
        }
    }

    /// Whether the dead-lettering put a header of this name there, so that a replay has to take it away. What a
    /// replay says of itself counts among them, for the next one says it anew.
    package static func isNotice(_ name: String, of dialect: DeadLetterDialect) -> Bool {
        dialect.isNotice(name)
    }

    /// Whether the letter only points at its record, which has to be fetched from where it stood.
    ///
    /// A broker's letter carries neither key nor value unless the group asks for copies (KIP-1191), and says
    /// nowhere which of the two it is.
    package func isPointer(_ letter: borrowing InboundRecord) -> Bool {
        if let omission { return omission.valueOmitted || omission.keyOmitted || omission.headersOmitted }
        return self.dialect == .kip1191 && letter.key == nil && letter.value == nil
    }
}
