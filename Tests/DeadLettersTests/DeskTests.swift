import Records
import Testing
import WireFormats

@testable import DeadLetters

/// The answers of the desk about records that lie in a broker.
@Suite(.timeLimit(.minutes(10))) struct DeskTests {
    private static func filter(_ headers: [String] = [], _ conditions: [String] = []) throws -> LetterFilter {
        var filter = LetterFilter()
        filter.headers = headers.map { LetterFilter.HeaderCondition($0) }
        filter.conditions = try conditions.map { try DeadLetterCondition($0) }
        return filter
    }

    @Test func looksIntoRecordsForWhatTheIndexDoesNotHold() async throws {
        try await ClusterUnderTest.with { cluster in
            let id = try cluster.clusterID()
            try cluster.publish(
                (0..<20).map { number in
                    Letters.record(
                        number,
                        partition: Int32(number % 2),
                        clusterID: id,
                        reason: number < 10 ? "gdt.-2" : "gdt.-3",
                        headers: number % 3 == 0
                            ? [RecordHeader("tenant", "cn")] : [RecordHeader("tenant", nil)]
                    )
                }
            )
            let desk = try cluster.desk()
            try desk.refresh()
            func numbers(_ filter: LetterFilter) throws -> [Int64] {
                let numbers = try desk.letters(filter, limit: 1_000).compactMap(\.source?.offset).sorted()
                #expect(try desk.groups(filter).letters == numbers.count)
                return numbers
            }
            let thirds: [Int64] = [0, 3, 6, 9, 12, 15, 18]
            #expect(try numbers(Self.filter(["tenant=cn"])) == thirds)
            #expect(try numbers(Self.filter(["tenant"])) == Array(0..<20))
            #expect(try numbers(Self.filter(["tenant="])) == (0..<20).filter { $0 % 3 != 0 })
            #expect(try numbers(Self.filter(["tenant", "none"])).isEmpty)
            #expect(try numbers(Self.filter([], ["number >= 15"])) == Array(15..<20))
            #expect(try numbers(Self.filter(["tenant=cn"], ["number < 9"])) == [0, 3, 6])
            #expect(try numbers(Self.filter([], ["other"])).isEmpty)
            var both = try Self.filter(["tenant=cn"])
            both.reasons = ["gdt.-3"]
            #expect(try numbers(both) == [12, 15, 18])
        }
    }

    /// One index serves every set of topics, and what is not looked at is not replayed.
    @Test func lettersOfOtherTopicsStayOutOfSight() async throws {
        try await ClusterUnderTest.with(topics: ["orders", "a.dead-letter", "b.dead-letter"]) { cluster in
            try cluster.publishLetters(0..<4, in: "a.dead-letter")
            try cluster.publishLetters(10..<13, in: "b.dead-letter")
            let wide = try cluster.desk()
            try wide.refresh()
            let narrow = try cluster.desk { $0.topics = ["b.dead-*"] }
            try narrow.refresh()
            #expect(try wide.groups(LetterFilter()).letters == 7)
            #expect(try narrow.groups(LetterFilter()).letters == 3)
            #expect(
                try narrow.letters(LetterFilter(), limit: 10).allSatisfy { $0.group.topic == "b.dead-letter" }
            )
            #expect(try narrow.plan(LetterFilter(), ReplayOptions()).items.count == 3)
            #expect(try narrow.letters(Self.filter([], ["number >= 0"]), limit: 10).count == 3)
        }
    }

    /// Notes and assignees lie in the audit topic, so that they are the same for everybody.
    @Test func notesOnAGroupAreSeenByEverybody() async throws {
        try await ClusterUnderTest.with { cluster in
            try cluster.publishLetters(0..<3)
            let anna = try cluster.desk()
            try anna.refresh()
            let group = try #require(try anna.groups(LetterFilter()).groups.first)
            #expect(group.assignee == nil && group.notes == 0)
            try anna.note("The client of tenant cn is to blame.", on: group.mark)
            try anna.assign(group.mark, to: "ben")
            try anna.assign(group.mark, to: "carl")
            try anna.note("Mended in 4.2.", on: group.mark)
            let other = try cluster.desk(index: "other", user: "ben")
            try other.refresh()
            for desk in [anna, other] {
                let found = try desk.index.notes(on: group.mark)
                #expect(found.assignee == "carl")
                #expect(
                    Set(found.notes.map(\.text)) == [
                        "Mended in 4.2.", "The client of tenant cn is to blame.",
                    ]
                )
                #expect(found.notes.allSatisfy { $0.by == "anna" })
                let shown = try #require(try desk.groups(LetterFilter()).groups.first)
                #expect(shown.assignee == "carl" && shown.notes == 2)
            }
            try other.assign(group.mark, to: nil)
            #expect(try other.index.notes(on: group.mark).assignee == nil)
            #expect(try other.audit(limit: 1).first?.by == "ben")
        }
    }

    @Test func notesHaveABoundAndNeedAGroup() async throws {
        try await ClusterUnderTest.with { cluster in
            try cluster.publishLetters(0..<1)
            let desk = try cluster.desk()
            try desk.refresh()
            let mark = try #require(try desk.groups(LetterFilter()).groups.first).mark
            for group in ["g-0000000000", "", "*", "g-*"] {
                #expect(throws: Desk.NoSuchGroup.self) { try desk.note("a note", on: group) }
            }
            for text in ["", "  ", String(repeating: "x", count: 1_001)] {
                #expect(throws: Desk.UnfitText.self) { try desk.note(text, on: mark) }
            }
            for name in ["", " ", "a\nb", String(repeating: "x", count: 129)] {
                #expect(throws: Desk.UnfitText.self) { try desk.assign(mark, to: name) }
            }
            #expect(try desk.index.notes(on: mark) == GroupNotes())
        }
    }

    @Test func aLetterIsNamedByIDBeginningOrPosition() async throws {
        try await ClusterUnderTest.with { cluster in
            try cluster.publishLetters(0..<4)
            let desk = try cluster.desk()
            try desk.refresh()
            for view in try desk.letters(LetterFilter(), limit: 10) {
                let id = "\(view.id)"
                for name in [id, String(id.prefix(20)), "\(view.position)"] {
                    #expect(try desk.letter(named: name).id == view.id)
                }
            }
            for name in [
                "", "dl-", "orders.dead-letter/0/99", "none/0/0", "dl-" + String(repeating: "0", count: 32),
            ] {
                #expect(throws: Desk.NoSuchLetter.self) { try desk.letter(named: name) }
            }
        }
    }

    @Test func tellsWhatGoesSoon() async throws {
        let hour: Int64 = 3_600_000
        try await ClusterUnderTest.with(topics: ["orders"]) { cluster in
            try await cluster.makeTopic("a.dead-letter", settings: ["retention.ms": "\(24 * hour)"])
            try await cluster.makeTopic(
                "b.dead-letter",
                settings: ["retention.ms": "-1", "retention.bytes": "5000000"]
            )
            let id = try cluster.clusterID()
            for topic in ["a.dead-letter", "b.dead-letter"] {
                try cluster.publish(
                    (0..<Int64(4)).map { number in
                        var record = Letters.record(number, in: topic, clusterID: id)
                        record.timestamp = Letters.start - number * 6 * hour
                        return record
                    }
                )
            }
            let desk = try cluster.desk()
            try desk.refresh()
            let views = try desk.retention(soon: 7 * hour)
            #expect(views.map(\.topic) == ["a.dead-letter", "b.dead-letter"])
            #expect(views.map(\.keeps) == [24 * hour, nil] && views.map(\.bytes) == [nil, 5_000_000])
            #expect(views.map(\.open) == [4, 4] && views.map(\.goingSoon) == [1, 0])
            #expect(views.map(\.firstGoes) == [Letters.start + 6 * hour, nil])
            #expect(views.map(\.isUnknown) == [false, false])
        }
    }

    @Test func whatIsKeptForEverGoesAtTheEndOfTime() async throws {
        try await ClusterUnderTest.with(topics: ["orders"]) { cluster in
            try await cluster.makeTopic(ClusterUnderTest.letters, settings: ["retention.ms": "\(Int64.max)"])
            try cluster.publishLetters(0..<2)
            let desk = try cluster.desk()
            try desk.refresh()
            let views = try desk.retention(soon: 3_600_000)
            #expect(views.map(\.firstGoes) == [.max] && views.map(\.goingSoon) == [0])
        }
    }

    /// At-least-once: a worker that is killed before its commit writes its letters once more.
    @Test func whatWasWrittenTwiceCountsOnceEverywhere() async throws {
        try await ClusterUnderTest.with { cluster in
            try cluster.publishLetters(0..<6)
            try cluster.publishLetters(0..<4)
            let desk = try cluster.desk()
            try desk.refresh()
            var ends = try desk.ends()
            for _ in 1...2 {
                let found = try desk.groups(LetterFilter())
                #expect(found.letters == 6 && found.open == 6)
                #expect(found.groups.map { $0.lastDay.reduce(0, +) }.allSatisfy { $0 <= 6 })
                #expect(try desk.letters(LetterFilter(), limit: 100).count == 6)
                #expect(try desk.letters(Self.filter(["content-type"]), limit: 100).count == 6)
                #expect(try desk.groups(Self.filter(["content-type"])).letters == 6)
                #expect(try desk.plan(LetterFilter(), ReplayOptions()).items.count == 6)
                #expect(try desk.retention(soon: 0).map(\.open) == [6])
                #expect(try desk.arrivals(since: &ends).isEmpty)
                try cluster.publishLetters(2..<6)
                try desk.refresh()
            }
            let report = try desk.replay(try desk.plan(LetterFilter(), ReplayOptions()), ReplayOptions())
            #expect(report.done == 6)
            try desk.refresh()
            #expect(try desk.groups(LetterFilter()).open == 0)
        }
    }

    // A replay that says no goodbye.

    private static func begun(_ batch: String, at time: Int64) -> AuditEntry {
        AuditEntry(
            action: .replay,
            by: "bert",
            at: time,
            because: "mended",
            batch: batch,
            selection: "--all",
            counts: ["planned": 9],
            letters: []
        )
    }

    private final class Clock {
        var now = Letters.start + 60_000
    }

    /// It was refused for 31 s, and "the same command goes on" was not true.
    @Test func aKilledReplayIsWaitedForAndThenItIsFree() async throws {
        try await ClusterUnderTest.with { cluster in
            let clock = Clock()
            let desk = Desk(try cluster.reader()) { clock.now }
            try desk.reader.makeTopics()
            try cluster.publish([
                try Self.begun("r-1", at: clock.now - 4_000).record(to: "dead-letters.audit")
            ])
            try desk.refresh()
            var told: [Int64] = []
            var pauses = 0
            let passing = try desk.letPass {
                told.append($1); #expect($0.by == "bert")
            } pause: {
                clock.now += Int64($0 / .milliseconds(1))
                pauses += 1
                return true
            }
            #expect(passing == .isFree(hasWaited: true) && told == [26_000] && pauses == 26)
            #expect(
                try desk.letPass { _, _ in
                } pause: { _ in
                    false
                } == .isFree(hasWaited: false)
            )
        }
    }

    @Test func aReplayThatLivesIsGivenWayTo() async throws {
        try await ClusterUnderTest.with { cluster in
            let desk = try cluster.desk()
            try desk.reader.makeTopics()
            let start = Letters.start + 60_000
            try cluster.publish([try Self.begun("r-0000000001", at: start).record(to: "dead-letters.audit")])
            try desk.refresh()
            #expect(
                try desk.letPass { _, _ in
                } pause: { _ in
                    false
                } == .wasStopped
            )
            let id = LetterID(high: 1, low: 2)
            let passing = try desk.letPass { _, _ in
            } pause: { _ in
                let entry = LedgerEntry.replayed(id, "r-0000000001-1", at: start + 1)
                return (try? cluster.publish([entry.record(to: "dead-letters.ledger")])) != nil
            }
            guard case .isAlive(let other) = passing else { return #expect(Bool(false), "\(passing)") }
            #expect(other.done == 1 && other.at == start + 1)
            // A later replay shows that the one before it has ended, killed or not.
            let end = Self.begun("r-0000000002", at: start + 2)
            var ended = end
            ended.counts["left"] = 0
            try cluster.publish(try [end, ended].map { try $0.record(to: "dead-letters.audit") })
            try desk.refresh()
            #expect(try desk.underWay() == nil)
        }
    }

    @Test func arrivalsAreThoseSinceTheLastLook() async throws {
        try await ClusterUnderTest.with { cluster in
            try cluster.publishLetters(0..<4)
            let desk = try cluster.desk()
            try desk.refresh()
            var ends = try desk.ends()
            #expect(try desk.arrivals(since: &ends).isEmpty)
            try cluster.publishLetters(4..<9)
            try desk.refresh()
            #expect(try desk.arrivals(since: &ends).count == 5)
            #expect(try desk.arrivals(since: &ends).isEmpty)
        }
    }

    /// A letter that only points at its record: the record itself is replayed, if it is still the one that died.
    @Test func whatALetterPointsAtIsReplayed() async throws {
        try await ClusterUnderTest.with { cluster in
            let id = try cluster.clusterID()
            let values = (0..<4).map { Array("a value of number \($0), which is long".utf8) }
            try cluster.publish(
                values.prefix(3).map { OutboundRecord(topic: "orders", key: [1], value: $0, partition: 0) }
            )
            // The last points at a record that there is not, the one before it at another than it says.
            try cluster.publish(
                (0..<4).map { number in
                    Letters.record(
                        number,
                        clusterID: id,
                        value: values[number == 2 ? 3 : Int(number)],
                        limit: 500
                    )
                }
            )
            let desk = try cluster.desk()
            try desk.refresh()
            let plan = try desk.plan(LetterFilter(), ReplayOptions())
            #expect(plan.items.count == 4 && plan.items.allSatisfy { $0.letter.bytes == nil })
            let report = try desk.replay(plan, ReplayOptions())
            #expect(report.done == 2 && report.skipped == [.gone: 2] && report.left == 0)
            let replayed = try cluster.contents(of: "orders").filter { $0.header("dlq.replay_id") != nil }
            #expect(Set(replayed.map(\.value)) == Set(values.prefix(2)))
            #expect(replayed.allSatisfy { $0.key == [1] && $0.partition == 0 })
        }
    }
}
