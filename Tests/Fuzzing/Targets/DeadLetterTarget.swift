import Records

@testable import WireFormats

extension FuzzTarget {
    /// A limit, a reason, a group, and the record that died.
    static let deadLetter = FuzzTarget(
        "dead-letter",
        longestInput: 2_048,
        words: ["dlq.id: ", "dlq.replay_count: 1", "dlq.value_omitted: ", "__dlq.errors.topic: ", "\n\n"]
    ) { input in
        var reader = InputReader(input)
        let limit: Int = reader.number(or: 1_048_000)
        let notice = DeadLetterClaims.notice(saying: reader.text(), group: reader.text())
        let dead = reader.record(key: Array("install-42".utf8))
        let letter = notice.record(of: dead, to: "activation.dead-letter", encodedBytesLimit: limit)
        try DeadLetterClaims.check(letter, of: dead, notice, limit: limit)
    }
}

private enum DeadLetterClaims {
    static func notice(saying words: String, group: String) -> DeadLetterNotice {
        DeadLetterNotice(
            source: DeadLetterNotice.Source(
                clusterID: words,
                topic: "activation",
                partition: 0,
                offset: 7,
                group: group,
                timestamp: InputReader.now
            ),
            kind: .rejected,
            reason: Reason("gdt.-1", words),
            replayable: .afterFix,
            attempts: 3,
            firstFailedAt: InputReader.now,
            failedAt: InputReader.now,
            upstream: group,
            upstreamStatus: 200,
            upstreamRequestID: words,
            worker: "activation-worker",
            workerVersion: "0.1.0"
        )
    }

    static func check(
        _ letter: OutboundRecord,
        of dead: InboundRecord,
        _ notice: DeadLetterNotice,
        limit: Int
    ) throws {
        let told = letter.headers.filter { DeadLetterNotice.headerNames.contains($0.name) }
        let bytes = told.reduce(0) { $0 + $1.name.utf8.count + ($1.value?.count ?? 0) }
        try claim("a notice is short", bytes <= DeadLetterNotice.headerBytesLimit)
        try claim("a notice says everything once", Set(told.map(\.name)).count == told.count)
        try claim(
            "a notice is text",
            told.allSatisfy { $0.value.map { String(validating: $0, as: UTF8.self) != nil } ?? false }
        )

        let own = dead.headers.filter { !DeadLetterNotice.headerNames.contains($0.name) }
        let kept = letter.headers.filter { !DeadLetterNotice.headerNames.contains($0.name) }
        let says = Set(told.map(\.name))
        try claim(
            "headers stay as they were, or are said to be missing",
            kept == own || kept.isEmpty && says.contains("dlq.headers_omitted")
        )
        try claim(
            "the key stays, or is said to be missing",
            letter.key == dead.key || says.contains("dlq.key_omitted")
        )
        try claim(
            "the value stays, or is described",
            letter.value == dead.value || letter.value == nil && says.contains("dlq.value_sha256")
        )
        let isBare = letter.value == nil && letter.key == nil && kept.isEmpty
        try claim("a letter fits, or is no more than a notice", letter.encodedBytesBound <= limit || isBare)
        try claim("an id is of one form", notice.id.hasPrefix("dl-") && notice.id.utf8.count == 35)
    }
}
