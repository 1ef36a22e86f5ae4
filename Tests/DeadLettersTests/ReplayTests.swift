import EmbeddedBroker
import Foundation
import Kafka
import Records
import Testing
import WireFormats

@testable import DeadLetters

/// Each letter once: whatever the cluster, the letters or the other engineers do.
@Suite(.timeLimit(.minutes(10))) struct ReplayTests {
    /// The replayed records of a topic, and how often each letter is among them.
    private static func replayed(_ cluster: ClusterUnderTest, to topic: String = "orders") throws -> [String:
        Int]
    {
        let ids = try cluster.contents(of: topic).compactMap { record in
            record.header("dlq.replay_of").map { String(decoding: $0, as: UTF8.self) }
        }
        return Dictionary(ids.map { ($0, 1) }, uniquingKeysWith: +)
    }

    private static func ledger(_ cluster: ClusterUnderTest) throws -> Set<LetterID> {
        Set(try cluster.contents(of: "dead-letters.ledger").compactMap { LedgerEntry($0)?.letter })
    }

    /// The outcome that a worker publishes for a replayed record.
    private static func outcome(of record: InboundRecord, _ fate: String) -> OutboundRecord {
        let text = """
            {"outcome":{"topic":"\(record.topic)","partition":\(record.partition),"offset":"\(record.offset)",\
            "fate":"\(fate)"}}
            """
        return OutboundRecord(
            topic: "orders.result",
            value: Array(text.utf8),
            headers: [
                RecordHeader("content-type", "application/json"),
                RecordHeader("dlq.replay_id", record.header("dlq.replay_id")),
            ] + record.originHeaders
        )
    }

    private static func replayAll(_ desk: Desk, _ options: ReplayOptions = ReplayOptions()) throws
        -> ReplayReport
    {
        try desk.refresh()
        return try desk.replay(try desk.plan(LetterFilter(), options), options)
    }

    /// A publisher can write the headers of a replay on its records, and use up the replays that a record may have.
    @Test func aRecordThatOnlyClaimsToBeAReplayIsReplayedAsTheFirstTime() async throws {
        let headers = [
            RecordHeader("dlq.replay_of", "dl-00000000000000000000000000000001"),
            RecordHeader("dlq.replay_id", "r-1"), RecordHeader("dlq.replay_count", "900"),
            RecordHeader("dlq.edited", String(repeating: "0", count: 64)),
        ]
        try await ClusterUnderTest.with { cluster in
            let id = try cluster.clusterID()
            try cluster.publish([Letters.record(0, clusterID: id, headers: headers)])
            let desk = try cluster.desk()
            try desk.refresh()
            let view = try #require(
                try desk.index.letters(LetterFilter(), mark: desk.mark, limit: 9).first
            )
            #expect(view.allReplays == 0)
            let detail = try desk.detail(of: view)
            #expect(detail.predecessor == nil && detail.facts.replayCount == 0)
            #expect(try Self.replayAll(desk).done == 1)
            let sent = try #require(
                try cluster.contents(of: "orders").last { $0.header("dlq.replay_id") != nil }
            )
            #expect(sent.header("dlq.replay_count") == Array("1".utf8))
            #expect(sent.header("dlq.replay_of") == Array("\(view.id)".utf8))
            #expect(sent.headers.filter { $0.name == "dlq.edited" } == [])
            try desk.refresh()
            let replayed = try desk.index.letters(LetterFilter(), mark: desk.mark, limit: 9)
            #expect(replayed.map(\.allReplays) == [1])
        }
    }

    @Test func everyLetterGoesOnce() async throws {
        try await ClusterUnderTest.with { cluster in
            try cluster.publishLetters(0..<250)
            let report = try Self.replayAll(try cluster.desk())
            #expect(report.done == 250 && report.left == 0 && report.interruption == nil)
            let again = try Self.replayAll(try cluster.desk(index: "another"))
            #expect(again.planned == 0)
            let replayed = try Self.replayed(cluster)
            #expect(replayed.count == 250 && replayed.values.allSatisfy { $0 == 1 })
            #expect(try Self.ledger(cluster).count == 250)
        }
    }

    /// `--force` called a second conversion "replay 1 of its life", and did not say that the first had succeeded.
    @Test func whatHasSucceededIsReplayedOnlyAgainAndCounted() async throws {
        let topics = ["orders", ClusterUnderTest.letters, "orders.result"]
        try await ClusterUnderTest.with(topics: topics) { cluster in
            try cluster.publishLetters(0..<3)
            let desk = try cluster.desk()
            #expect(try Self.replayAll(desk).done == 3)
            try desk.refresh()
            let sent = try cluster.contents(of: "orders")
            try cluster.publish(
                sent.prefix(2).map { record in
                    OutboundRecord(
                        topic: "orders.result",
                        value: Array(#"{"outcome":{"fate":"succeeded"}}"#.utf8),
                        headers: [
                            RecordHeader("content-type", "application/json"),
                            RecordHeader("dlq.replay_id", record.header("dlq.replay_id")),
                        ]
                    )
                }
            )
            var force = ReplayOptions()
            force.force = true
            // The plan is made before the outcomes are known.
            let stale = try desk.plan(LetterFilter(), force)
            #expect(stale.items.count == 3 && stale.withoutOutcome == 3 && stale.succeededBefore == 0)
            let report = try desk.replay(stale, force)
            #expect(report.done == 1 && report.skipped == [.alreadySucceeded: 2])
            try desk.refresh()
            let forced = try desk.plan(LetterFilter(), force)
            #expect(forced.items.count == 1 && forced.refusalCounts == [.alreadySucceeded: 2])
            var again = ReplayOptions()
            again.again = true
            let plan = try desk.plan(LetterFilter(), again)
            #expect(plan.items.map(\.replays) == [2, 2] && plan.succeededBefore == 2)
            #expect(plan.refusalCounts == [.alreadyReplayed: 1])
            #expect(try desk.replay(plan, again).done == 2)
            let counts = try cluster.contents(of: "orders").map { $0.header("dlq.replay_count") ?? [] }
            #expect(
                counts.sorted { $0.lexicographicallyPrecedes($1) }
                    == ["1", "1", "1", "2", "2", "2"].map { Array($0.utf8) }
            )
            try desk.refresh()
            #expect(try desk.audit(limit: 1).first?.counts["succeeded_before"] == 2)
            // The letters are in flight once more, and have succeeded all the same.
            #expect(try desk.plan(LetterFilter(), force).refusalCounts == [.alreadySucceeded: 2])
        }
    }

    /// A worker is killed between its first outcome and its commit, and the record succeeds when it is handled again. The
    /// success was ignored: a forced replay sent a second conversion, and so did a plain one of the new letter.
    @Test func aSuccessAfterADeathIsReplayedOnlyAgain() async throws {
        let topics = ["orders", ClusterUnderTest.letters, "orders.result"]
        try await ClusterUnderTest.with(topics: topics) { cluster in
            try cluster.publishLetters(4..<5)
            let desk = try cluster.desk()
            #expect(try Self.replayAll(desk).done == 1)
            let sent = try #require(try cluster.contents(of: "orders").first)
            try #require(sent.partition == 0)
            let id = try cluster.clusterID()
            let replay = RecordHeader("dlq.replay_id", sent.header("dlq.replay_id"))
            try cluster.publish([
                Letters.record(sent.offset, clusterID: id, headers: [replay]),
                Self.outcome(of: sent, "dead_lettered"),
            ])
            try desk.refresh()
            let states = try desk.letters(LetterFilter(), limit: 9).map(\.state)
            #expect(Set(states) == [.deadAgain, .open])
            let stale = try desk.plan(LetterFilter(), ReplayOptions())
            #expect(stale.items.map(\.replays) == [2])

            try cluster.publish([Self.outcome(of: sent, "succeeded")])
            // The plan of the new letter was made before.
            let report = try desk.replay(stale, ReplayOptions())
            #expect(report.done == 0 && report.skipped == [.alreadySucceeded: 1])
            try desk.refresh()
            #expect(
                try desk.letters(LetterFilter(), limit: 9).map(\.state) == [.succeeded, .succeeded]
            )
            #expect(try desk.plan(LetterFilter(), ReplayOptions()).items.isEmpty)
            var force = ReplayOptions()
            force.force = true
            let forced = try desk.plan(LetterFilter(), force)
            #expect(forced.items.isEmpty && forced.refusalCounts == [.alreadySucceeded: 2])
            var again = ReplayOptions()
            again.again = true
            let plan = try desk.plan(LetterFilter(), again)
            #expect(plan.items.count == 2 && plan.succeededBefore == 2)
            // An index that is made anew finds out the same.
            let other = try cluster.desk(index: "another")
            try other.refresh()
            #expect(try other.plan(LetterFilter(), force).refusalCounts == [.alreadySucceeded: 2])
        }
    }

    /// Somebody publishes replayed records once more with their headers. The outcomes of the copies settled the replays.
    @Test func onlyTheRecordThatWasSentTellsHowItsReplayEnds() async throws {
        let topics = ["orders", ClusterUnderTest.letters, "orders.result"]
        try await ClusterUnderTest.with(topics: topics) { cluster in
            try cluster.publishLetters(0..<2)
            let desk = try cluster.desk()
            #expect(try Self.replayAll(desk).done == 2)
            let sent = try cluster.contents(of: "orders")
            let ledger = try cluster.contents(of: "dead-letters.ledger").compactMap {
                LedgerEntry($0)?.sentTo
            }
            #expect(Set(ledger.map(\.description)) == Set(sent.map(\.place)) && ledger.count == 2)
            try cluster.publish(
                sent.map { record in
                    OutboundRecord(
                        topic: "orders",
                        key: record.key,
                        value: record.value,
                        headers: record.headers,
                        partition: record.partition
                    )
                }
            )
            let copies = try cluster.contents(of: "orders").filter { !sent.contains($0) }
            #expect(copies.count == 2)
            try cluster.publish(copies.map { Self.outcome(of: $0, "succeeded") })
            try desk.refresh()
            #expect(try desk.index.replays(limit: 9).map(\.state) == [.replayed, .replayed])
            // One of the records has gone through a retry topic.
            let retried = try Self.retried(sent[0])
            #expect(retried == sent[0])
            try cluster.publish([
                Self.outcome(of: retried, "succeeded"), Self.outcome(of: sent[1], "rejected"),
            ])
            try desk.refresh()
            let states = try desk.index.replays(limit: 9).map(\.state)
            #expect(Set(states) == [.succeeded, .rejected])
        }
    }

    /// The record as a worker has it in hand after a retry topic.
    private static func retried(_ record: InboundRecord) throws -> InboundRecord {
        let ticket = RetryTicket(
            of: record,
            attempts: 1,
            failures: 1,
            receivedAt: Letters.start,
            firstFailedAt: Letters.start,
            reason: "http.503",
            due: Letters.start,
            notBefore: Letters.start,
            from: record.place
        )
        let sent = ticket.record(of: record, to: "orders.retry", partition: 1)
        let read = InboundRecord(
            topic: sent.topic,
            partition: 1,
            offset: 99,
            key: sent.key,
            value: sent.value,
            headers: sent.headers
        )
        return try #require(RetryTicket(read.headers)).original(of: read)
    }

    /// The cluster takes the commit, and cuts the connection instead of an answer, for longer than anybody waits. A
    /// tool that then sends the records once more sends them twice.
    @Test func aCommitThatNobodyHeardOfIsNotDoneTwice() async throws {
        try await ClusterUnderTest.with { cluster in
            try cluster.publishLetters(0..<20)
            let desk = try cluster.desk {
                $0.patience = .milliseconds(700)
                $0.transactionTimeout = .milliseconds(1_000)
            }
            try desk.refresh()
            let options = ReplayOptions()
            let plan = try desk.plan(LetterFilter(), options)
            var faults = BrokerFaults()
            faults.unansweredEndShare = 1
            try await cluster.broker.setFaults(faults)
            let first = try desk.replay(plan, options)
            try await cluster.broker.setFaults(BrokerFaults())
            // The user runs the command again, as the tool says.
            let later = try cluster.desk()
            let second = try Self.replayAll(later)
            #expect(first.done + second.done == 20, "\(first) \(second)")
            let replayed = try Self.replayed(cluster)
            #expect(replayed.count == 20 && replayed.values.allSatisfy { $0 == 1 }, "\(first) \(second)")
        }
    }

    /// A topic that takes less than the letters' does not keep back those that fit.
    @Test func oneThatIsTooLargeLeavesTheOthersTheirWay() async throws {
        try await ClusterUnderTest.with(topics: ["orders.dead-letter"]) { cluster in
            try await cluster.makeTopic("orders", settings: ["max.message.bytes": "20000"])
            let id = try cluster.clusterID()
            try cluster.publish(
                (0..<Int64(12)).map { number in
                    let size = number == 5 ? 50_000 : 9_000
                    return Letters.record(number, clusterID: id, value: [UInt8](repeating: 65, count: size))
                }
            )
            let report = try Self.replayAll(try cluster.desk())
            #expect(report.done == 11 && report.skipped == [.tooLarge: 1] && report.interruption == nil)
            let replayed = try Self.replayed(cluster)
            #expect(replayed.count == 11 && replayed.values.allSatisfy { $0 == 1 })
            #expect(try Self.ledger(cluster).count == 11)
        }
    }

    /// A share group's letters have neither key nor value unless somebody asks for copies (KIP-1191).
    @Test func aBrokersLetterIsReplayedAsWhatItPointsAt() async throws {
        try await ClusterUnderTest.with { cluster in
            let value = Array("the value".utf8)
            var original = OutboundRecord(topic: "orders", key: [7], value: value, partition: 1)
            original.timestamp = Letters.start
            var later = original
            later.timestamp = Letters.start + 100_000
            try cluster.publish([original, later])
            try cluster.publish(
                [0, 1, 2].map { offset in
                    OutboundRecord(
                        topic: ClusterUnderTest.letters,
                        headers: [
                            RecordHeader("__dlq.errors.topic", "orders"),
                            RecordHeader("__dlq.errors.partition", "1"),
                            RecordHeader("__dlq.errors.offset", "\(offset)"),
                            RecordHeader("__dlq.errors.group", "share"),
                        ],
                        partition: 0,
                        timestamp: Letters.start + 50_000
                    )
                }
            )
            let report = try Self.replayAll(try cluster.desk())
            #expect(report.done == 1 && report.skipped == [.gone: 2])
            let replayed = try cluster.contents(of: "orders").filter { $0.header("dlq.replay_id") != nil }
            #expect(replayed.map(\.value) == [value] && replayed.map(\.key) == [[7]])
        }
    }

    /// Anybody may write a letter that points anywhere.
    @Test func aLetterThatPointsNowhereStopsNobody() async throws {
        try await ClusterUnderTest.with { cluster in
            let id = try cluster.clusterID()
            let value = [UInt8](repeating: 65, count: 2_000)
            func lost(_ number: Int64, from topic: String, _ partition: String? = nil) -> OutboundRecord {
                let lie = partition.map { [RecordHeader("__dlq.errors.partition", $0)] } ?? []
                var record = Letters.record(number, from: topic, clusterID: id, value: value, limit: 900)
                record.headers += lie
                return record
            }
            try cluster.publish([lost(0, from: "none"), lost(1, from: "orders", "2147483647")])
            try cluster.publishLetters(10..<14)
            var options = ReplayOptions()
            options.target = "orders"
            let report = try Self.replayAll(try cluster.desk(), options)
            #expect(
                report.done == 4 && report.skipped == [.gone: 2] && report.interruption == nil,
                "\(report)"
            )
        }
    }

    /// Its id is made of its position, and so is that of the letter which takes its place.
    @Test func whatTookALettersPlaceIsNotReplayedInstead() async throws {
        try await ClusterUnderTest.with { cluster in
            func letter(_ value: String, at time: Int64) -> OutboundRecord {
                OutboundRecord(
                    topic: ClusterUnderTest.letters,
                    value: Array(value.utf8),
                    headers: [
                        RecordHeader("x-original-topic", "orders"), RecordHeader("x-original-partition", "0"),
                        RecordHeader("x-original-offset", "0"),
                    ],
                    partition: 0,
                    timestamp: time
                )
            }
            try cluster.publish([letter("one", at: Letters.start)])
            let desk = try cluster.desk()
            try desk.refresh()
            let plan = try desk.plan(LetterFilter(), ReplayOptions())
            #expect(plan.items.count == 1)
            try cluster.deleteTopic(ClusterUnderTest.letters)
            try await cluster.makeTopic(ClusterUnderTest.letters)
            try cluster.publish([
                letter("other", at: Letters.start + 1), letter("more", at: Letters.start + 2),
            ])
            let report = try desk.replay(plan, ReplayOptions())
            #expect(report.done == 0 && report.skipped == [.gone: 1])
            #expect(try Self.replayed(cluster).isEmpty)
            // And the index notices.
            try desk.refresh()
            let times = try desk.letters(LetterFilter(), limit: 10).map(\.at)
            #expect(times == [Letters.start + 1, Letters.start + 2])
        }
    }

    @Test func aLaterVersionsEntryIsNotReplayedOver() async throws {
        try await ClusterUnderTest.with { cluster in
            try cluster.publishLetters(0..<3)
            let desk = try cluster.desk()
            try desk.refresh()
            let ids = try desk.letters(LetterFilter(), limit: 10).map(\.id)
            try desk.reader.makeTopics()
            try cluster.publish([
                OutboundRecord(
                    topic: "dead-letters.ledger",
                    key: Array("\(ids[0])".utf8),
                    value: Array(#"{"version":2,"what":"something new"}"#.utf8)
                ),
                OutboundRecord(topic: "dead-letters.ledger", key: Array("\(ids[1])".utf8), value: [0xFF]),
                OutboundRecord(topic: "dead-letters.ledger", key: Array("no letter".utf8), value: [0xFF]),
            ])
            try desk.refresh()
            #expect(
                try desk.letters(LetterFilter(), limit: 10).filter { $0.state == .open }.map(\.id) == [ids[2]]
            )
            var named = LetterFilter()
            named.ids = ids
            let plan = try desk.plan(named, ReplayOptions())
            #expect(plan.items.map(\.letter.id) == [ids[2]] && plan.refusalCounts == [.alreadyReplayed: 2])
        }
    }

    /// An entry that somebody takes out of the ledger is out of it for every index, old or new.
    @Test func aTombstoneTakesBackWhatTheLedgerSaid() async throws {
        try await ClusterUnderTest.with { cluster in
            try cluster.publishLetters(0..<2)
            let desk = try cluster.desk()
            #expect(try Self.replayAll(desk).done == 2)
            try desk.refresh()
            let id = try #require(try desk.letters(LetterFilter(), limit: 1).first?.id)
            try cluster.publish([OutboundRecord(topic: "dead-letters.ledger", key: Array("\(id)".utf8))])
            for index in ["index", "new"] {
                let desk = try cluster.desk(index: index)
                try desk.refresh()
                #expect(try desk.plan(LetterFilter(), ReplayOptions()).items.map(\.letter.id) == [id])
            }
        }
    }

    @Test func manyAreDiscardedInParts() async throws {
        try await ClusterUnderTest.with { cluster in
            try cluster.publishLetters(0..<1_100)
            let desk = try cluster.desk()
            try desk.refresh()
            let letters = try desk.letters(LetterFilter(), limit: 2_000)
            let report = try desk.carryOut(
                .discard,
                on: letters + letters.prefix(1),
                because: "gone",
                selection: "all"
            )
            // The one that is there twice is discarded by the first part, and known only after a look.
            #expect(report.done + (report.skipped[.discarded] ?? 0) == 1_101 && report.left == 0)
            #expect(try Self.ledger(cluster).count == 1_100)
            try desk.refresh()
            let audit = try desk.audit(limit: 10)
            #expect(audit.count == 3 && audit.allSatisfy { $0.action == .discard && $0.because == "gone" })
            #expect(audit.compactMap { $0.counts["discarded"] }.reduce(0, +) == report.done)
            #expect(try desk.groups(LetterFilter()).groups.map(\.open) == [0])
            #expect(try desk.plan(LetterFilter(), ReplayOptions()).items.isEmpty)
            let again = try desk.carryOut(.discard, on: letters, because: "again", selection: "all")
            #expect(again.done == 0 && again.skipped == [.discarded: 1_100])
        }
    }

    @Test func discardedLettersComeBackUnlessTheyWereReplayed() async throws {
        try await ClusterUnderTest.with { cluster in
            try cluster.publishLetters(0..<5)
            let desk = try cluster.desk()
            try desk.refresh()
            let letters = try desk.letters(LetterFilter(), limit: 10)
            var first = LetterFilter()
            first.ids = [letters[0].id]
            let options = ReplayOptions()
            #expect(try desk.replay(try desk.plan(first, options), options).done == 1)
            try desk.refresh()
            // The first has been replayed, and the last is open.
            let discarded = Array(letters.prefix(4))
            #expect(
                try desk.carryOut(.discard, on: discarded, because: "wrong click", selection: "").done == 4
            )
            try desk.refresh()
            #expect(
                try Set(desk.letters(LetterFilter(), for: .restore, limit: 10).map(\.id))
                    == Set(discarded.map(\.id))
            )
            let report = try desk.carryOut(.restore, on: letters, because: "a mistake", selection: "all")
            #expect(report.done == 3 && report.left == 0)
            #expect(report.skipped == [.alreadyReplayed: 1, .notDiscarded: 1])
            for index in ["index", "new"] {
                let desk = try cluster.desk(index: index)
                try desk.refresh()
                let open = try desk.letters(LetterFilter(), for: .discard, limit: 10).map(\.id)
                #expect(Set(open) == Set(letters.dropFirst().map(\.id)))
            }
            let audit = try #require(try desk.audit(limit: 10).first { $0.action == .restore })
            #expect(audit.counts == ["restored": 3] && audit.because == "a mistake")
            #expect(try Self.replayAll(desk).done == 4)
            #expect(try Self.replayed(cluster).values.allSatisfy { $0 == 1 })
        }
    }

    @Test func oneEditIsNotOfManyLetters() async throws {
        try await ClusterUnderTest.with { cluster in
            try cluster.publishLetters(0..<2)
            let desk = try cluster.desk()
            try desk.refresh()
            var options = ReplayOptions()
            options.edit = .value(Array("{}".utf8))
            let plan = try desk.plan(LetterFilter(), options)
            #expect(throws: Desk.EditsMany.self) { try desk.replay(plan, options) }
            #expect(try Self.replayed(cluster).isEmpty)
        }
    }

    /// Watermill tells the topic, and neither partition nor offset.
    @Test func aTopicIsEnoughToGoBackTo() async throws {
        try await ClusterUnderTest.with { cluster in
            try cluster.publish([
                OutboundRecord(
                    topic: ClusterUnderTest.letters,
                    key: [1],
                    value: [2],
                    headers: [
                        RecordHeader("reason_poisoned", "broken"), RecordHeader("topic_poisoned", "orders"),
                    ]
                )
            ])
            #expect(try Self.replayAll(try cluster.desk()).done == 1)
            let record = try #require(try cluster.contents(of: "orders").first)
            #expect(record.key == [1] && record.value == [2])
        }
    }

    /// An entry that no index could read again would let its letter be replayed again.
    @Test func aReasonThatIsTooLongIsRefusedBeforeAnythingGoes() async throws {
        try await ClusterUnderTest.with { cluster in
            try cluster.publishLetters(0..<2)
            let desk = try cluster.desk()
            try desk.refresh()
            var options = ReplayOptions()
            options.because = String(repeating: "\u{1}", count: 20_000)
            let plan = try desk.plan(LetterFilter(), options)
            #expect(throws: LedgerEntry.TooLong.self) { try desk.replay(plan, options) }
            #expect(try Self.replayed(cluster).isEmpty && Self.ledger(cluster).isEmpty)
        }
    }
}
