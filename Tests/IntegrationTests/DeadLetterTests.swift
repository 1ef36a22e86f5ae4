import Foundation
import Records
import Testing
import UpstreamSimulator
import WorkerTestSupport

/// The dead-letter tool as an on-call engineer uses it: real letters of a real worker, on a broker that takes
/// transactions at their word.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct DeadLetterTests {
    private struct Groups: Decodable {
        struct Group: Decodable {
            var group: String
            var reason: String
            var letters: Int
            var open: Int
            var sample: String
        }

        var groups: [Group]
        var letters: Int
    }

    private struct Report: Decodable {
        var batch: String
        var planned: Int
        var done: Int
        var left: Int
        var interruption: String?
    }

    private struct Outcomes: Decodable {
        struct Batch: Decodable {
            var replayed: Int
            var outcomes: [String: Int]
            var open: Int
            var by: String
        }

        var batches: [Batch]
    }

    private func worker(_ cluster: TestCluster, _ gdt: RunningSimulator) throws -> WorkerUnderTest {
        try WorkerUnderTest(
            cluster,
            upstream: "http://127.0.0.1:\(gdt.port)",
            more: """
                worker:
                  delivery: exactly-once
                hold:
                  suspect_rejections: 1000
                budget:
                  dead_letters: 10000
                  percent: 100
                """
        )
    }

    /// Broken keys at GDT; everything dies; one group; mended; looked at; replayed at a rate; all succeed.
    @Test func fromBrokenKeysToAllSucceeded() async throws {
        let count = 40
        let cluster = try await TestCluster.transactional()
        let tool = try DeadLetterToolUnderTest(cluster)
        var broken = Activations.simulatorSettings
        broken.keys[0].signKey = "another_sign_key"
        let refusing = try await GDTSimulator.start(broken)
        try cluster.publish((0..<count).map { Activations.good($0, to: cluster.input) })
        let letters = try TopicContents(cluster.deadLetters, cluster)
        let first = try self.worker(cluster, refusing)
        #expect(letters.read { $0.count == count }, "\(first.log)")
        #expect(first.stop() == 0)
        await refusing.stop()

        let groups = try tool.run(["groups", "--json"]).json(as: Groups.self)
        #expect(groups.groups.map(\.letters) == [count])
        let group = try #require(groups.groups.first)
        #expect(group.open == count)
        let shown = try tool.run(["show", group.sample])
        #expect(shown.status == 0 && shown.output.contains("keys"), "\(shown)")

        let mended = try await GDTSimulator.start(Activations.simulatorSettings)
        let second = try self.worker(cluster, mended)
        let dry = try tool.run(["replay", "--group", group.group])
        #expect(dry.status == 0 && dry.output.contains("Would replay \(count) letters"), "\(dry)")
        #expect(mended.stats().requests == 0)

        let start = ContinuousClock.now
        let run = try tool.run([
            "replay", "--group", group.group, "--go", "--rate", "20", "--because", "keys mended", "--json",
        ])
        let report = try run.json(as: Report.self)
        #expect(run.status == 0 && report.done == count && report.left == 0, "\(run)")
        // The first second's worth goes at once.
        #expect(ContinuousClock.now - start >= .milliseconds(900))

        let outcomes = try tool.run(["outcomes", report.batch, "--wait", "60", "--json"])
        let batch = try #require(try outcomes.json(as: Outcomes.self).batches.first)
        #expect(outcomes.status == 0, "\(outcomes) \(second.log)")
        #expect(batch.replayed == count && batch.outcomes == ["succeeded": count] && batch.open == 0)
        #expect(mended.accepted().count == count)
        let after = try tool.run(["groups", "--json"]).json(as: Groups.self)
        #expect(after.groups.map(\.open) == [0])
        #expect(second.stop() == 0)
        await mended.stop()
        try await cluster.end()
    }

    /// A field under a wrong name, in three thousand records: one look, one command, all succeed.
    @Test func oneScriptMendsThreeThousandLetters() async throws {
        let count = 3_000
        let cluster = try await TestCluster.transactional()
        let tool = try DeadLetterToolUnderTest(cluster)
        let gdt = try await GDTSimulator.start(Activations.simulatorSettings)
        try cluster.publish(
            (0..<count).map { index in
                var record = Activations.good(index, to: cluster.input)
                let value = String(decoding: record.value ?? [], as: UTF8.self)
                record.value = Array(value.replacing("appId", with: "appID").utf8)
                return record
            }
        )
        let letters = try TopicContents(cluster.deadLetters, cluster)
        let worker = try self.worker(cluster, gdt)
        #expect(letters.read { $0.count == count }, "\(worker.log)")
        #expect(gdt.stats().requests == 0)

        let change = ["edit", "--reason", "app_id.missing", "--with", "rename appID to appId"]
        let look = try tool.run(change)
        #expect(look.status == 0 && look.output.contains("Would replay \(count) letters"), "\(look)")
        #expect(look.output.contains(#"appId: (nothing) → "112233""#) && gdt.stats().requests == 0)
        let useless = try tool.run(["edit", "--reason", "app_id.missing", "--set", "appType = IOX"])
        #expect(useless.status == 3 && useless.output.contains("\(count) letters: "), "\(useless)")
        let silent = try tool.run(change + ["--go"])
        #expect(silent.status != 0 && silent.complaints.contains("--because"), "\(silent)")

        let run = try tool.run(change + ["--go", "--canary", "10", "--because", "appID is appId"])
        #expect(run.status == 0, "\(run) \(worker.log)")
        #expect(run.output.contains("10 of 10 letters replayed"), "\(run)")
        #expect(run.output.contains("The canary has succeeded."), "\(run)")
        #expect(run.output.contains("2990 of 2990 letters replayed"), "\(run)")
        let batch = try #require(run.output.split(separator: " ").last { $0.hasPrefix("r-") })
        let outcomes = try tool.run([
            "outcomes", batch.trimmingCharacters(in: .newlines), "--wait", "60",
        ])
        #expect(outcomes.status == 0, "\(outcomes)")
        #expect(gdt.accepted().count == count)
        #expect(worker.stop() == 0)
        await gdt.stop()
        try await cluster.end()
    }

    /// The script makes the records well-formed, and the upstream refuses them all the same.
    @Test func aCanaryThatDiesKeepsTheOthers() async throws {
        let cluster = try await TestCluster.transactional()
        let tool = try DeadLetterToolUnderTest(cluster)
        var broken = Activations.simulatorSettings
        broken.keys[0].signKey = "another_sign_key"
        let refusing = try await GDTSimulator.start(broken)
        let group = try self.letters(40, cluster, tool)
        let worker = try self.worker(cluster, refusing)
        let change = [
            "edit", "--group", group, "--set", "conversionType = MOBILEAPP_COST", "--set", "value = 4990",
            "--go",
            "--because", "try",
        ]
        let canary = try tool.run(change + ["--canary", "5"])
        #expect(canary.status == 3, "\(canary) \(worker.log)")
        #expect(canary.output.contains("The canary has not succeeded: 35 letters left"), "\(canary)")
        let refused = refusing.stats().requests
        #expect(refused == 5)

        let slow = try tool.run(change + ["--stop-after-deaths", "3", "--rate", "2"])
        #expect(slow.status == 3 && slow.output.contains("ended without success"), "\(slow)")
        #expect(refusing.stats().requests < refused + 35)
        let trail = try tool.run(["audit"])
        #expect(trail.output.contains("because --stop-after-deaths"), "\(trail)")
        #expect(worker.stop() == 0)
        await refusing.stop()
        try await cluster.end()
    }

    /// By a filter nothing is done without --go, and what was discarded by mistake comes back.
    @Test func aGroupIsDiscardedAndBroughtBack() async throws {
        let cluster = try await TestCluster.transactional()
        let tool = try DeadLetterToolUnderTest(cluster)
        let group = try self.letters(6, cluster, tool)
        let choice = ["--group", group]
        let look = try tool.run(["discard"] + choice)
        #expect(look.status == 0 && look.output.contains("6 letters would be discarded"), "\(look)")
        let silent = try tool.run(["discard", "--go"] + choice)
        #expect(silent.status == 64 && silent.complaints.contains("--because"), "\(silent)")
        let done = try tool.run(["discard", "--go", "--because", "not needed"] + choice)
        #expect(done.status == 0 && done.output.contains("6 of 6 letters discarded"), "\(done)")
        let none = try tool.run(["discard"] + choice)
        #expect(none.status == 4, "\(none)")
        let back = try tool.run(["restore", "--go", "--because", "needed after all"] + choice)
        #expect(back.status == 0 && back.output.contains("6 of 6 letters brought back"), "\(back)")
        let counts = try tool.run(["groups", "--by", "partition"] + choice)
        #expect(counts.status == 0 && counts.output.contains("letters  open"), "\(counts)")
        let open = try tool.run(["groups", "--json"]).json(as: Groups.self)
        #expect(open.groups.map(\.letters) == [6])
        try await cluster.end()
    }

    /// Letters without a worker, and the group that they are.
    private func letters(_ count: Int, _ cluster: TestCluster, _ tool: DeadLetterToolUnderTest) throws
        -> String
    {
        let id = try DeadLetters.clusterID(cluster)
        try cluster.publish((0..<count).map { DeadLetters.letter($0, cluster, clusterID: id) })
        let groups = try tool.run(["groups", "--json"]).json(as: Groups.self)
        #expect(groups.groups.map(\.letters) == [count])
        return try #require(groups.groups.first).group
    }

    /// Which letters' records stand in the original topic, each as often as a reader of committed records sees it.
    private func replayed(_ cluster: TestCluster, _ count: Int) throws -> [String: Int] {
        let contents = try TopicContents(cluster.input, cluster)
        #expect(contents.read { $0.count >= count })
        // Any further records would come now.
        _ = contents.read(atMost: .seconds(1)) { _ in false }
        let ids = contents.records.compactMap { record in
            record.header("dlq.replay_of").map { String(decoding: $0, as: UTF8.self) }
        }
        return Dictionary(ids.map { ($0, 1) }, uniquingKeysWith: +)
    }

    @Test func twoEngineersAtOnceDeliverEachRecordOnce() async throws {
        let count = 400
        let cluster = try await TestCluster.transactional()
        let tool = try DeadLetterToolUnderTest(cluster)
        let group = try self.letters(count, cluster, tool)
        // A user whose replay is overtaken does as the tool says: the user runs the command again, until
        // nothing is left.
        let done = try await withThrowingTaskGroup(of: Int.self) { tasks in
            for user in ["anna", "bert"] {
                tasks.addTask {
                    var done = 0
                    for _ in 0..<50 {
                        let run = try tool.run(
                            ["replay", "--group", group, "--go", "--rate", "90", "--json", "--take-over"],
                            user: user
                        )
                        // Nothing is left for whom nothing matches.
                        if run.status == 4 { break }
                        done += (try? run.json(as: Report.self))?.done ?? 0
                        if run.status == 0 { break }
                    }
                    return done
                }
            }
            return try await tasks.reduce(into: []) { $0.append($1) }
        }
        let replayed = try self.replayed(cluster, count)
        #expect(replayed.count == count && replayed.values.allSatisfy { $0 == 1 })
        #expect(done.reduce(0, +) == count)
        let outcomes = try tool.run(["outcomes", "--json"]).json(as: Outcomes.self)
        #expect(outcomes.batches.reduce(0) { $0 + $1.replayed } == count)
        try await cluster.end()
    }

    @Test func aKilledReplayGoesOnWhereItWas() async throws {
        let count = 300
        let cluster = try await TestCluster.transactional()
        let tool = try DeadLetterToolUnderTest(cluster)
        let group = try self.letters(count, cluster, tool)
        let contents = try TopicContents(cluster.input, cluster)
        for round in 1...3 {
            let running = try tool.start(["replay", "--group", group, "--go", "--rate", "50", "--take-over"])
            #expect(contents.read { $0.count >= round * 50 })
            running.process.send(SIGKILL)
            #expect(try running.end().status == 128 + SIGKILL)
        }
        // A replay that was killed cannot say so. The next run of the command waits by itself, and says how
        // long.
        let patient = try tool.start(["replay", "--group", group, "--go"])
        #expect(try patient.waitForComplaint("this replay begins by itself in "))
        patient.process.send(SIGINT)
        #expect(try patient.end().status == 130)
        let asked = try tool.start(["replay", "--group", group, "--go", "--rate", "20", "--take-over"])
        let before = contents.records.count
        #expect(contents.read { $0.count > before })
        // It lives, and shows it within a second.
        let polite = try tool.run(["replay", "--group", group, "--go"], user: "bert")
        #expect(polite.status == 5 && polite.complaints.contains("anna is at it"), "\(polite)")
        #expect(polite.complaints.contains("Nothing was done."), "\(polite)")
        asked.process.send(SIGINT)
        #expect(try asked.end().status == 130)
        let trail = try tool.run(["audit"])
        #expect(trail.output.contains("because a signal to the command"), "\(trail)")
        // A replay that has said goodbye is not at work any more, nor are those that were killed before it
        // began.
        let last = try tool.run(["replay", "--group", group, "--go"])
        #expect(last.status == 0, "\(last)")
        let replayed = try self.replayed(cluster, count)
        #expect(replayed.count == count && replayed.values.allSatisfy { $0 == 1 })
        let again = try tool.run(["replay", "--group", group, "--go"])
        #expect(again.status == 4, "\(again)")
        try await cluster.end()
    }

    /// Key, bytes, headers and partition as they were; what is too large comes from the record itself.
    @Test func aReplayedRecordIsTheOneThatDied() async throws {
        let cluster = try await TestCluster.transactional()
        let tool = try DeadLetterToolUnderTest(cluster)
        let id = try DeadLetters.clusterID(cluster)
        var original = Activations.good(0, to: cluster.input)
        original.partition = 0
        original.headers = [RecordHeader("content-type", "application/json"), RecordHeader("tenant", "cn")]
        try cluster.publish([
            original, DeadLetters.letter(0, cluster, clusterID: id, value: original.value, limit: 900),
            DeadLetters.letter(
                1,
                cluster,
                clusterID: id,
                value: original.value,
                headers: [RecordHeader("flag", nil)]
            ),
        ])
        let run = try tool.run(["replay", "--all", "--go", "--json"])
        let report = try run.json(as: Report.self)
        #expect(run.status == 0 && report.done == 2, "\(run)")
        let contents = try TopicContents(cluster.input, cluster)
        #expect(contents.read { $0.count == 3 })
        let records = contents.records.filter { $0.header("dlq.replay_id") != nil }
        for record in records {
            let index = record.partition == 0 ? 0 : 1
            #expect(record.key == Array("key-\(index)".utf8))
            #expect(record.value == original.value)
            #expect(record.headers.first == RecordHeader("content-type", "application/json"))
            #expect(record.header("tenant") == Array("cn".utf8))
            #expect(!record.headers.contains { $0.name.hasPrefix("__dlq") || $0.name == "dlq.reason" })
            #expect(record.header("dlq.replay_count") == Array("1".utf8))
        }
        #expect(Set(records.map(\.partition)) == [0, 1])
        #expect(records.contains { $0.headers.contains(RecordHeader("flag", nil)) })
        try await cluster.end()
    }

    @Test func lookingChangesNothing() async throws {
        let cluster = try await TestCluster.transactional()
        let tool = try DeadLetterToolUnderTest(cluster)
        let group = try self.letters(20, cluster, tool)
        for command in [
            ["stats"], ["groups"], ["list"], ["show", "\(cluster.deadLetters)/0/0"],
            ["replay", "--group", group],
            ["outcomes"], ["parked"], ["retention"], ["audit"], ["watch", "--count", "1", "--help"],
        ] {
            let run = try tool.run(command)
            #expect(run.status == 0 || run.status == 4, "\(command) \(run)")
        }
        let topics = try TopicNames(cluster).all
        #expect(!topics.contains(tool.ledger) && !topics.contains(tool.audit))
        let contents = try TopicContents(cluster.input, cluster)
        #expect(!contents.read(atMost: .seconds(1)) { !$0.isEmpty })
        try await cluster.end()
    }

    /// On a cluster that stays, ledger and audit trail stayed too.
    @Test func nothingOfATestIsLeftOnTheCluster() async throws {
        let cluster = try await TestCluster.transactional()
        let tool = try DeadLetterToolUnderTest(cluster)
        let group = try self.letters(1, cluster, tool)
        #expect(try tool.run(["replay", "--group", group, "--go"]).status == 0)
        #expect(try TopicNames(cluster).all.isSuperset(of: [tool.ledger, tool.audit]))
        try cluster.remove()
        let deadline = ContinuousClock.now + .patience
        var left: [String] = []
        repeat {
            left = try TopicNames(cluster).all.filter { $0.hasPrefix(cluster.input) }
        } while !left.isEmpty && ContinuousClock.now < deadline
        #expect(left == [])
        try await cluster.end()
    }

    /// A letter tells a terminal nothing, whatever the letter holds.
    @Test func hostileLettersAreShownSafely() async throws {
        let cluster = try await TestCluster.transactional()
        let tool = try DeadLetterToolUnderTest(cluster)
        let escape = "\u{1B}]0;gone\u{7}\u{1B}[2J\u{9B}31m\u{202E}<script>alert(1)</script>"
        let bytes: [UInt8] = [0, 1, 0xFF, 0xFE, 0x1B, 0x5B, 0x41]
        let value = #"{"appId":"112233","deviceId":"\#u{202E}x","note":"<b>","list":[{"a":[1e400,-0]}]}"#
        let letters: [OutboundRecord] = [
            OutboundRecord(topic: cluster.deadLetters),
            OutboundRecord(topic: cluster.deadLetters, key: bytes, value: bytes),
            OutboundRecord(topic: cluster.deadLetters, key: Array(escape.utf8), value: Array(escape.utf8)),
            OutboundRecord(
                topic: cluster.deadLetters,
                key: [],
                value: Array(value.utf8),
                headers: [
                    RecordHeader("dlq.id", "dl-\(escape)"), RecordHeader("dlq.reason", escape),
                    RecordHeader("dlq.worker", escape), RecordHeader("dlq.class", bytes),
                    RecordHeader("__dlq.errors.topic", escape), RecordHeader("__dlq.errors.partition", "-9"),
                    RecordHeader("__dlq.errors.message", escape), RecordHeader(escape, escape),
                    RecordHeader("dlq.replay_count", "99999999999999999999"),
                ]
            ),
            OutboundRecord(
                topic: cluster.deadLetters,
                value: [UInt8](repeating: UInt8(ascii: "<"), count: 1_000_000),
                headers: [
                    RecordHeader("kafka_dlt-original-topic", cluster.input),
                    RecordHeader("kafka_dlt-original-partition", [0, 0, 0, 1]),
                    RecordHeader("kafka_dlt-original-offset", [0x80, 0, 0, 0, 0, 0, 0, 0]),
                    RecordHeader("kafka_dlt-exception-fqcn", "org.example.Broken\u{1B}[A"),
                ]
            ),
        ]
        try cluster.publish(letters)
        struct Listed: Decodable { var position: String }
        let listed = try tool.run(["list", "--json"])
        let positions = try listed.json(as: [Listed].self).map(\.position)
        #expect(positions.count == letters.count, "\(listed)")
        var outputs = [listed]
        for command in [
            ["groups"], ["groups", "--json"], ["list"], ["stats"], ["export"], ["export", "--format", "csv"],
        ] {
            outputs.append(try tool.run(command))
        }
        for position in positions {
            outputs.append(try tool.run(["show", position]))
            outputs.append(try tool.run(["show", position, "--json"]))
            outputs.append(try tool.run(["show", position, "--reveal", "--because", "a test"]))
            outputs.append(try tool.run(["replay", position]))
        }
        for output in outputs {
            #expect([0, 3].contains(output.status), "\(output)")
            let isSafe = (output.output + output.complaints).unicodeScalars.allSatisfy { scalar in
                scalar == "\n" || scalar == "\r"
                    || (scalar.properties.generalCategory != .control && scalar.value != 0x202E)
            }
            #expect(isSafe, "\(output.output.prefix(500).debugDescription)")
        }
        try await cluster.end()
    }

    @Test func anEditIsHeldToTheSchemaAndKeepsTheOriginalsHash() async throws {
        let cluster = try await TestCluster.transactional()
        let tool = try DeadLetterToolUnderTest(cluster)
        _ = try self.letters(1, cluster, tool)
        let position = "\(cluster.deadLetters)/0/0"
        let refused = try tool.run(
            ["edit", position, "--because", "wrong type", "--go"],
            environment: ["VISUAL": "sed -i s/IOS/IOX/"]
        )
        #expect(refused.status == 3 && refused.complaints.contains("app_type.unknown"), "\(refused)")
        let unknown = try tool.run(
            ["edit", position, "--because", "slip", "--go"],
            environment: ["VISUAL": "sed -i s/appType/appTipe/"]
        )
        #expect(unknown.status == 3 && unknown.complaints.contains("appTipe"), "\(unknown)")
        let edited = try tool.run(
            ["edit", position, "--because", "another app", "--go"],
            environment: ["VISUAL": "sed -i s/112233/445566/"]
        )
        #expect(edited.status == 0 && edited.output.contains("appId"), "\(edited)")
        let contents = try TopicContents(cluster.input, cluster)
        #expect(contents.read { $0.count == 1 })
        let record = try #require(contents.records.first)
        #expect(String(decoding: record.value ?? [], as: UTF8.self).contains("445566"))
        #expect(record.header("dlq.edited")?.count == 64)
        let audit = try tool.run(["audit"])
        #expect(audit.output.contains("reveal") && audit.output.contains("another app"), "\(audit)")
        try await cluster.end()
    }
}
