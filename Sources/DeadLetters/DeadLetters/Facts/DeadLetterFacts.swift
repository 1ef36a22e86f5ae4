package import Records
package import WireFormats

/// The facts that the headers of a dead letter state, in whichever dialect they are written.
///
/// Anybody may have written a header, so each fact is a claim and not a proof. A fact is nil if its header is
/// missing, malformed or not plausible. If a header name occurs twice, its last value counts, as for Kafka's
/// own clients.
package struct DeadLetterFacts: Hashable, Sendable {
    /// The parts of the record that the notice says were left out of the letter, for example because they did
    /// not fit.
    package struct Omission: Hashable, Sendable {
        /// Whether the record's value was left out of the letter.
        package var valueOmitted: Bool
        /// The size of the omitted value in bytes, as the notice states it.
        package var valueBytes: Int?
        /// The SHA-256 of the omitted value, 64 lower-case hexadecimal digits.
        package var valueSHA256: String?
        /// Whether the record's own headers were left out of the letter.
        package var headersOmitted: Bool
        /// Whether the record's key was left out of the letter.
        package var keyOmitted: Bool
    }

    /// The dialect that the headers are in; it decides which headers the other facts are read from.
    package var dialect = DeadLetterDialect.unknown
    /// The letter's id from `dlq.id`; nil unless it is `dl-` and 32 lower-case hexadecimal digits.
    package var claimedID: String?
    /// The topic of the original record; nil unless Kafka allows the name for a topic.
    package var sourceTopic: String?
    /// The partition of the original record, not negative.
    package var sourcePartition: Int32?
    /// The offset of the original record, not negative.
    package var sourceOffset: Int64?
    /// The consumer group, 1 to 256 bytes, that gave the record up.
    package var sourceGroup: String?
    /// The timestamp of the original record, in wall-clock milliseconds since 1970, as all times here.
    package var originalTimestamp: Int64?
    /// The kind of failure: one of `DeadLetter.Class`, `exception` for other frameworks, or `unknown` if no
    /// header tells.
    package var kind = Self.unknown
    /// A stable code for the reason: at most 120 visible ASCII characters; `unknown` if no header tells.
    package var reason = Self.unknown
    /// The failure's message: at most 1 KiB, without a stack trace. The rest of the text is as it came, so it
    /// may hold personal data and control characters.
    package var message = ""
    /// The name of the field that the reason is about: at most 64 letters, digits, `_`, `.` and brackets; only
    /// letters of ours whose reason begins with `field.` name one.
    package var field: String?
    /// Whether the worker expects a replay to help; only our dialect states it.
    package var replayable: DeadLetter.Replayable?
    /// How often the record was attempted or delivered, 0 to 2,147,483,647.
    package var attempts: Int?
    /// The time of the first failed attempt, in wall-clock milliseconds since 1970; only our dialect states
    /// it.
    package var firstFailedAt: Int64?
    /// The time at which the record was dead-lettered, in wall-clock milliseconds since 1970; only our
    /// dialect states it.
    package var failedAt: Int64?
    /// The name of the upstream that the worker called, 1 to 256 bytes.
    package var upstream: String?
    /// The last HTTP status of the upstream, 100 to 999.
    package var upstreamStatus: Int?
    /// The id that the upstream gave its last answer, 1 to 256 bytes.
    package var upstreamRequestID: String?
    /// The name of the program that gave the record up: our worker, or a group, connector, processor node or
    /// handler.
    package var worker: String?
    /// The version of our worker, 1 to 256 bytes.
    package var workerVersion: String?
    /// The parts of the record that the letter lacks; nil if the notice names none.
    package var omission: Omission?
    /// How often the record has been replayed before, 0 to a million.
    package var replayCount = 0
    /// The letter that the last replay was made of: 1 to 128 visible ASCII characters.
    package var replayOf: String?
    /// The id of the last replay: 1 to 128 visible ASCII characters.
    package var replayID: String?
    /// The SHA-256 of the value before its first edit, 64 lower-case hexadecimal digits; nil if no replay has
    /// edited it.
    package var editedSHA256: String?

    /// The word for a kind or a reason that no header tells.
    package static let unknown = "unknown"
    /// The longest reason code in bytes.
    package static let reasonBytesLimit = 120
    /// The longest message in bytes.
    package static let messageBytesLimit = 1024
    /// The highest count of replays that is stated; a higher one is read as this.
    package static let replayCountLimit = 1_000_000

    /// Reads the facts of a dead letter in one pass over its headers, with the standard rules for messages.
    package init(_ headers: HeaderBlock) { self.init(headers, rules: .standard) }

    /// Reads the facts of a dead letter in one pass over its headers.
    ///
    /// - Parameter rules: derive a reason code from the message, for dialects that state no code.
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
        case .karafka: self.readKarafka(found, rules)
        case .watermill: self.readWatermill(found, rules)
        case .unknown: self.readPlain(found, rules)
        }
    }

    /// Whether the dead-lettering put a header of this name on the record, so that a replay has to remove it.
    /// The headers of an earlier replay count too, because the next replay writes them anew.
    package static func isNotice(_ name: String, of dialect: DeadLetterDialect) -> Bool {
        dialect.isNotice(name)
    }

    /// Whether the letter lacks a part of its record, so that the record has to be fetched from its original
    /// topic.
    ///
    /// A broker's letter carries neither key nor value unless the group asks for copies (KIP-1191), and no
    /// header says which kind of letter it is. A broker's letter without key and value therefore counts as a
    /// pointer.
    package func isPointer(_ letter: borrowing InboundRecord) -> Bool {
        if let omission { return omission.valueOmitted || omission.keyOmitted || omission.headersOmitted }
        return self.dialect == .kip1191 && letter.key == nil && letter.value == nil
    }
}
