import WireFormats

// For each dialect, the headers that each fact is read from.
extension DeadLetterFacts {
    mutating func readReplay(_ found: borrowing FoundFields) {
        self.replayCount = found.count(.replayCount, upTo: Self.replayCountLimit)
        self.replayOf = found.visibleText(.replayOf)
        self.replayID = found.visibleText(.replayID)
        self.editedSHA256 = found.hexadecimal(.edited, digits: 64)
    }

    mutating func readNotice(_ found: borrowing FoundFields) {
        self.claimedID = found.letterID(.id)
        self.readSource(
            found,
            topic: .kafkaTopic,
            partition: .kafkaPartition,
            offset: .kafkaOffset,
            group: .kafkaGroup
        )
        self.originalTimestamp = found.time(.originalTimestamp)
        self.kind = found.text(.kind).flatMap(DeadLetter.Class.init(rawValue:))?.rawValue ?? Self.unknown
        self.reason = found.code(.reason) ?? Self.unknown
        self.message = found.message(.kafkaMessage)
        if self.reason.hasPrefix("field.") { self.field = Self.firstName(in: self.message) }
        self.replayable = found.text(.replayable).flatMap(DeadLetter.Replayable.init(rawValue:))
        self.attempts = found.smallNumber(.attempts) ?? found.smallNumber(.kafkaDeliveries)
        self.firstFailedAt = found.time(.firstFailedAt)
        self.failedAt = found.time(.failedAt)
        self.upstream = found.text(.upstream)
        self.upstreamStatus = found.smallNumber(.upstreamStatus).flatMap { 100...999 ~= $0 ? $0 : nil }
        self.upstreamRequestID = found.text(.upstreamRequestID)
        self.worker = found.text(.worker)
        self.workerVersion = found.text(.workerVersion)
        self.omission = Omission(found)
    }

    /// The longest name of a field in bytes.
    private static let fieldBytesLimit = 64

    /// Returns the first name between backquotes, as our messages write the names of fields.
    private static func firstName(in message: String) -> String? {
        let quote = UInt8(ascii: "`")
        let parts = message.utf8.split(separator: quote, maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, 1...Self.fieldBytesLimit ~= parts[1].count,
            parts[1].allSatisfy({ $0.isAlphanumeric || "_.[]".utf8.contains($0) })
        else { return nil }
        return String(parts[1])
    }

    mutating func readKafka(_ found: borrowing FoundFields, _ rules: ReasonRules) {
        self.readSource(
            found,
            topic: .kafkaTopic,
            partition: .kafkaPartition,
            offset: .kafkaOffset,
            group: .kafkaGroup
        )
        self.message = found.message(.kafkaMessage)
        self.reason = rules.code(for: self.message)
        // A broker dead-letters a share group's record for two causes only (KIP-1191).
        self.kind =
            switch self.reason {
            case "rejected_by_client": DeadLetter.Class.rejected.rawValue
            case "delivery_count": DeadLetter.Class.exhausted.rawValue
            default: Self.unknown
            }
        self.attempts = found.smallNumber(.kafkaDeliveries)
        self.worker = self.sourceGroup
    }

    mutating func readSpring(_ found: borrowing FoundFields, _ rules: ReasonRules) {
        let isOld = found.bytes(.springTopic) == nil && found.bytes(.springException) == nil
        if isOld {
            self.readSource(
                found,
                topic: .springOldTopic,
                partition: .springOldPartition,
                offset: .springOldOffset,
                group: .springOldGroup
            )
        } else {
            self.readSource(
                found,
                topic: .springTopic,
                partition: .springPartition,
                offset: .springOffset,
                group: .springGroup
            )
        }
        self.originalTimestamp = found.number(isOld ? .springOldTimestamp : .springTimestamp)
        self.message = found.message(isOld ? .springOldMessage : .springMessage)
        if self.message.isEmpty { self.message = found.message(.springKeyMessage) }
        let exception =
            isOld
            ? found.className(.springOldCause) ?? found.className(.springOldException)
            : found.className(.springCause) ?? found.className(.springException)
        self.readException(exception ?? found.className(.springKeyException), rules)
        self.attempts = found.smallNumber(.springAttempts) ?? found.smallNumber(.springDeliveryAttempt)
        self.worker = self.sourceGroup
    }

    mutating func readConnect(_ found: borrowing FoundFields, _ rules: ReasonRules) {
        self.readSource(
            found,
            topic: .connectTopic,
            partition: .connectPartition,
            offset: .connectOffset,
            group: nil
        )
        self.message = found.message(.connectMessage)
        self.readException(found.className(.connectException), rules)
        self.worker = found.text(.connectConnector)
    }

    mutating func readStreams(_ found: borrowing FoundFields, _ rules: ReasonRules) {
        self.readSource(
            found,
            topic: .streamsTopic,
            partition: .streamsPartition,
            offset: .streamsOffset,
            group: nil
        )
        self.message = found.message(.streamsMessage)
        self.readException(found.className(.streamsException), rules)
        self.worker = found.text(.streamsNode)
    }

    /// Reads Karafka's headers. They say something about the error only where the consumer has added it.
    mutating func readKarafka(_ found: borrowing FoundFields, _ rules: ReasonRules) {
        if found.bytes(.karafkaOffset) == nil {
            self.readSource(
                found,
                topic: .karafkaOldTopic,
                partition: .karafkaOldPartition,
                offset: .karafkaOldOffset,
                group: .karafkaOldGroup
            )
        } else {
            self.readSource(
                found,
                topic: .karafkaTopic,
                partition: .karafkaPartition,
                offset: .karafkaOffset,
                group: .karafkaGroup
            )
        }
        self.message = found.message(.karafkaMessage)
        self.kind = "exception"
        self.reason = found.className(.karafkaException) ?? rules.code(for: self.message)
        self.attempts = found.smallNumber(.karafkaAttempts) ?? found.smallNumber(.karafkaOldAttempts)
        self.worker = self.sourceGroup
    }

    mutating func readWatermill(_ found: borrowing FoundFields, _ rules: ReasonRules) {
        self.readSource(found, topic: .watermillTopic, partition: nil, offset: nil, group: nil)
        self.message = found.message(.watermillReason)
        self.kind = "exception"
        self.reason = rules.code(for: self.message)
        self.worker = found.text(.watermillHandler)
    }

    mutating func readPlain(_ found: borrowing FoundFields, _ rules: ReasonRules) {
        self.readSource(
            found,
            topic: .plainTopic,
            partition: .plainPartition,
            offset: .plainOffset,
            group: nil
        )
        self.message = found.message(.plainMessage)
        if self.message.isEmpty { self.message = found.message(.plainException) }
        self.reason = rules.code(for: self.message)
    }

    private mutating func readSource(
        _ found: borrowing FoundFields,
        topic: DeadLetterField,
        partition: DeadLetterField?,
        offset: DeadLetterField?,
        group: DeadLetterField?
    ) {
        self.sourceTopic = found.topic(topic)
        self.sourcePartition = partition.flatMap { found.number($0) }.flatMap { Int32(exactly: $0) }
        self.sourceOffset = offset.flatMap { found.number($0) }
        self.sourceGroup = group.flatMap { found.text($0) }
    }

    /// Takes the exception's class as the reason if there is one, because a class name is more stable than a
    /// message.
    private mutating func readException(_ name: String?, _ rules: ReasonRules) {
        self.kind = name == nil && self.message.isEmpty ? Self.unknown : "exception"
        self.reason = name ?? rules.code(for: self.message)
    }
}

extension DeadLetterFacts.Omission {
    fileprivate init?(_ found: borrowing FoundFields) {
        let (value, headers, key) = (
            found.isThere(.valueOmitted), found.isThere(.headersOmitted), found.isThere(.keyOmitted)
        )
        guard value || headers || key else { return nil }
        self.init(
            valueOmitted: value,
            valueBytes: found.number(.valueBytes).flatMap { Int(exactly: $0) },
            valueSHA256: found.hexadecimal(.valueSHA256, digits: 64),
            headersOmitted: headers,
            keyOmitted: key
        )
    }
}
