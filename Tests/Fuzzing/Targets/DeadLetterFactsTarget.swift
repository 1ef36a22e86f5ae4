import Records

@testable import DeadLetters
@testable import WireFormats

extension FuzzTarget {
    /// The headers of a letter, whoever wrote them.
    static let deadLetterFacts = FuzzTarget(
        "dead-letter-facts",
        longestInput: 4_096,
        words: Array(DeadLetterField.names.values).sorted().map { "\($0): " } + [
            "dlq.replay_count: 999999", "\u{0}\u{0}\u{0}\u{7}", "2026-11-21T08:00:00.250Z",
            "java.net.ConnectException",
            "\n\tat ", "connection refused", "dl-0123456789abcdef0123456789abcdef",
        ]
    ) { input in
        var reader = InputReader(input)
        let letter = reader.record(topic: "activation.dead-letter", key: [1])
        let facts = DeadLetterFacts(HeaderBlock(letter.headers))
        try FactsClaims.check(facts)
        let replayed = ReplayedRecord(of: letter, facts, letterID: "dl-1", to: "activation", replayID: "r-1")
        try FactsClaims.check(replayed.record, of: letter, facts)
    }
}

private enum FactsClaims {
    static func check(_ facts: DeadLetterFacts) throws {
        try claim("a message is short", facts.message.utf8.count <= DeadLetterFacts.messageBytesLimit)
        try claim("a message has no stack trace", !facts.message.contains("\n\tat "))
        let codes =
            [facts.reason, facts.kind] + [facts.claimedID, facts.replayOf, facts.replayID].compactMap(\.self)
        for code in codes {
            try claim("a code is 1 to 128 visible characters", 1...128 ~= code.utf8.count)
            try claim("a code is visible", code.utf8.allSatisfy { 0x21...0x7E ~= $0 })
        }
        try claim("a reason is short", facts.reason.utf8.count <= DeadLetterFacts.reasonBytesLimit)
        let topic = facts.sourceTopic.map { $0.utf8 }
        try claim(
            "a topic is one that Kafka has",
            topic?.allSatisfy { $0.isAlphanumeric || "._-".utf8.contains($0) } ?? true
        )
        try claim("a topic has a name that fits", topic.map { 1...249 ~= $0.count } ?? true)
        try claim(
            "a place is not negative",
            (facts.sourcePartition ?? 0) >= 0 && (facts.sourceOffset ?? 0) >= 0
        )
        try claim("a count is bounded", 0...DeadLetterFacts.replayCountLimit ~= facts.replayCount)
        for text in [facts.sourceGroup, facts.worker, facts.upstream, facts.workerVersion].compactMap(\.self)
        {
            try claim("a name is short", 1...256 ~= text.utf8.count)
        }
        let guide = ReasonGuide(facts)
        try claim(
            "there is something to say of every letter",
            !guide.meaning.isEmpty && !guide.advice.isEmpty
        )
    }

    static func check(_ replayed: OutboundRecord, of letter: InboundRecord, _ facts: DeadLetterFacts) throws {
        let own = letter.headers.filter { !DeadLetterFacts.isNotice($0.name, of: facts.dialect) }
        try claim("a record's own headers stay in order", Array(replayed.headers.prefix(own.count)) == own)
        let added = replayed.headers.dropFirst(own.count).map(\.name)
        try claim(
            "all else is of the replay",
            added.allSatisfy { DeadLetterFacts.isNotice($0, of: .unknown) || $0 == RecordOrigin.header }
        )
        try claim(
            "a known origin stays",
            letter.originHeaders.isEmpty || !added.contains(RecordOrigin.header)
        )
        try claim("a replay says everything once", Set(added).count == added.count)
        try claim("the value stays", replayed.value == letter.value)
        let again = DeadLetterFacts(HeaderBlock(replayed.headers))
        let count = min(facts.replayCount + 1, DeadLetterFacts.replayCountLimit)
        try claim("a replay is counted", again.replayCount == count && again.replayID == "r-1")
        try claim("what was edited once stays so", again.editedSHA256 == facts.editedSHA256)
    }
}
