import Foundation
import Records
import UpstreamSimulator
import WorkerKit

@testable import Harness
@testable import Rehearsal
@testable import Trials

extension FuzzTarget {
    /// Lines with pages of the upstream's journal, an empty one, and a record of the results or of the dead letters.
    static let chaosAudit = FuzzTarget(
        "chaos-audit",
        longestInput: 1_024,
        words: [
            "{\"first\":0,\"lost\":0,\"entries\":[{\"click_id\":\"a-1\",\"call\":true}]}\n",
            "\"call\":false,\"ret\":0",
            "-1", "activation/0/0", "\"fate\":\"succeeded\"", "dlq.id: ", "dlq.reason: ",
            "__dlq.errors.topic: activation\n",
            "__dlq.errors.partition: 0\n", "__dlq.errors.offset: 3\n",
        ]
    ) { input in
        var reader = InputReader(input)
        var audit = ChaosClaims.audit()
        var calls = 0
        while let page = try? JSONDecoder().decode(CallJournal.Page.self, from: Data(reader.line())) {
            calls += page.entries.count(where: \.isCall)
            for entry in page.entries { audit.noted(entry) }
            try claim("a page ends where it can end", page.end.map { $0 >= page.first } ?? (page.first > 0))
        }
        try claim("no call is counted twice", audit.findings.calls <= calls)
        let record = reader.record(key: Array("customer-0".utf8))
        audit.foundOutcome(record)
        try claim(
            "a record is an outcome or a riddle",
            ChaosClaims.count(audit, audit.findings.outcomes) == 1
        )
        audit.foundLetter(record)
        let filed = audit.findings.outcomes + audit.findings.letters
        try claim("a record is a letter or a riddle", ChaosClaims.count(audit, filed) == 2)
        audit.conclude()
        let isMissing = audit.inputs.count(where: { $0.outcomes == 0 })
        try claim("what is missing is missed", audit.findings.count(.lost) == isMissing)
    }
}

private enum ChaosClaims {
    /// Four inputs, of two keys in turn: good, refused, tried again, and dead.
    static func audit() -> ChaosAudit {
        var audit = ChaosAudit(topic: "activation", keys: 2, delivery: .exactlyOnce)
        for (place, kind) in [InputKind.json, .zeroDevice, .unavailable, .tombstone].enumerated() {
            let record = OutboundRecord(topic: "activation", key: Array("customer-0".utf8), value: nil)
            audit.delivered(audit.sent(record, kind, key: place % 2), to: 0, at: Int64(place))
        }
        return audit
    }

    static func count(_ audit: ChaosAudit, _ filed: Int) -> Int { audit.findings.count(.riddle) + filed }
}
