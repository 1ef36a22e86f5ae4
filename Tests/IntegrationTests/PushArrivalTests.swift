import Foundation
import Records
import Testing

@Suite(.serialized, .timeLimit(.minutes(20)))
struct PushArrivalTests {
    /// Three workers, of which one has two threads and one dies every other moment, and a fifth of all events come twice,
    /// a third of them in the wrong partition. In the end the numbers are those that the input has.
    @Test func twentyKillsLeaveTheStatisticsExact() async throws {
        let (count, kills) = (200_000, 20)
        let cluster = try await PushTopics.cluster(partitions: 6)
        let events = PushEvents(count, messages: 7, to: cluster.input, seed: 42)
        let results = try TopicContents(cluster.results, cluster)
        let threads = [2, 1, 1]
        var workers = try threads.map { try Self.worker(cluster, threads: $0) }
        // The rest is published while workers die.
        let batch = count / (kills + 1)
        for round in 0..<kills {
            try cluster.publish(Array(events.records[(round * batch)..<((round + 1) * batch)]))
            let goal = round * batch + 1
            #expect(
                results.read { $0.count >= goal },
                "round \(round): \(workers.map { $0.log.suffix(2_000) })"
            )
            let victim = round % workers.count
            workers[victim].send(SIGKILL)
            #expect(workers[victim].exitStatus() == 128 + SIGKILL)
            workers[victim] = try Self.worker(cluster, threads: threads[victim])
        }
        try cluster.publish(Array(events.records[(kills * batch)...]))
        #expect(
            results.read { $0.count >= count },
            "\(results.records.count) of \(count)"
        )
        let statistics = try TopicContents("\(cluster.input).stats", cluster)
        #expect(
            statistics.read { records in
                Self.told(records.latest) == events.expected
            },
            "\(Self.told(statistics.records.latest)) instead of \(events.expected)"
        )
        for worker in workers { #expect(worker.stop() == 0, "\(worker.log)") }
        _ = results.read(atMost: .seconds(2)) { $0.count > count }
        Self.check(results.records, against: events, count)
        let versions = statistics.records.reduce(into: [String: [Int]]()) { versions, record in
            guard let told = [record].latest.first else { return }
            versions[told.key, default: []].append(told.value["version"] as? Int ?? -1)
        }
        for (key, versions) in versions { #expect(versions == versions.sorted(), "\(key)") }
        try await cluster.end()
    }

    /// The events that devices and broken backends send are counted or buried, none of them stops the worker, and none
    /// of the notification's text is anywhere in the worker's output.
    @Test func whateverComesInIsAccountedFor() async throws {
        let cluster = try await PushTopics.cluster(partitions: 3)
        let secret = "Dear Anna, your biopsy"
        let payload =
            #""payload":{"aps":{"alert":{"title":"\#(secret)"},"mutable-content":1},"_j_msgid":29273432613945685}"#
        let long = String(repeating: "x", count: 10_000)
        let fiveDaysAgo = Int(Date().timeIntervalSince1970 - 5 * 86_400) * 1_000
        let values = [
            #"{"type":"arrived","deviceId":"a",\#(payload)}"#,
            #"{"type":"arrived","deviceId":"a","provider":"jpush","messageId":"29273432613945685"}"#,
            #"{"type":"arrived","deviceId":"b","messageId":"m","deviceMs":5,"uploadMs":6,"sentMs":\#(fiveDaysAgo)}"#,
            #"{"type":"arrived","deviceId":"c","messageId":"m","deviceMs":4102444800000}"#,
            #"{"type":"arrived","messageId":"m"}"#,
            #"{"type":"exploded","deviceId":"a","messageId":"m"}"#,
            #"{"type":"arrived","deviceId":"a","messageId":"\#(long)"}"#,
            #"{"type":"arrived","deviceId":"\#(long)","messageId":"m"}"#,
            #"{"type":"arrived","deviceId":"a","messageId":"m","payload":"\#(secret)"}"#,
            #"{"type":"arrived","deviceId":"a","messageId":"m","payload":["\#(secret)"]}"#,
            #"{"type":"arrived","deviceId":7,"messageId":"m","payload":{"x":"\#(secret)"}}"#,
            #"["\#(secret)"]"#, #"{"\#(secret)"#, "", "\u{0}\u{1}\u{2}",
            #"{"type":"sent","deviceId":"s","messageId":"m","status":"perhaps"}"#,
        ]
        let flood = (0..<3_000).map { _ in #"{"type":"opened","deviceId":"flood","messageId":"m"}"# }
        try cluster.publish(
            (values + flood).map {
                OutboundRecord(topic: cluster.input, key: Array("k".utf8), value: Array($0.utf8))
            }
                + [OutboundRecord(topic: cluster.input, key: nil, value: nil)]
        )
        let worker = try Self.worker(cluster)
        let count = values.count + flood.count + 1
        let results = try TopicContents(cluster.results, cluster)
        #expect(
            results.read(outcomes: count),
            "\(results.records.count): \(worker.log)"
        )
        var fates: [String: Int] = [:]
        for record in results.records { fates[record.outcome?.fate ?? "none", default: 0] += 1 }
        #expect(fates == ["succeeded": 4 + flood.count, "rejected": 8, "dead_lettered": 5], "\(fates)")
        let letters = try TopicContents(cluster.deadLetters, cluster)
        #expect(letters.read { $0.count >= 5 })
        #expect(letters.records.allSatisfy { $0.value == nil && $0.text(of: "dlq.reason") != nil })
        let statistics = try TopicContents("\(cluster.input).stats", cluster)
        let told = statistics.read { records in
            let messages = records.latest.values
            return messages.contains {
                $0["messageId"] as? String == "29273432613945685" && $0["arrived"] as? Int == 1
                    && $0["duplicates"] as? Int == 1
            }
                && messages.contains {
                    $0["messageId"] as? String == "m" && $0["opened"] as? Int == 1
                        && $0["duplicates"] as? Int == flood.count - 1 && $0["arrived"] as? Int == 1
                        && $0["lateDropped"] as? Int == 1
                        && $0["unknownDevice"] as? Int == 1
                }
        }
        #expect(told, "\(statistics.records.latest)")
        #expect(worker.stop() == 0, "\(worker.log)")
        try Self.expectNothing(of: secret, in: cluster, worker)
        try await cluster.end()
    }

    private static func expectNothing(of secret: String, in cluster: TestCluster, _ worker: WorkerUnderTest)
        throws
    {
        #expect(!worker.log.contains(secret))
        for topic in cluster.topics where topic != cluster.input {
            let contents = try TopicContents(topic, cluster)
            _ = contents.read(atMost: .seconds(1)) { _ in false }
            for record in contents.records {
                let text = String(decoding: record.value ?? [], as: UTF8.self)
                #expect(!text.contains(secret), "\(topic)")
                #expect(
                    record.headers.allSatisfy {
                        !String(decoding: $0.value ?? [], as: UTF8.self).contains(secret)
                    }
                )
            }
        }
        // An event that came in the wrong partition was sent on without the text.
        let input = try TopicContents(cluster.input, cluster)
        _ = input.read(atMost: .seconds(1)) { _ in false }
        let sentOn = input.records.filter { $0.header("flotilla.push.origin") != nil }
        #expect(!sentOn.isEmpty)
        #expect(sentOn.allSatisfy { !String(decoding: $0.value ?? [], as: UTF8.self).contains(secret) })
    }

    /// Accepted arrivals reach the statistics endpoint, each once, in batches.
    @Test func acceptedArrivalsAreForwarded() async throws {
        let cluster = try await PushTopics.cluster(partitions: 2)
        let upstream = try CandidUpstream()
        let worker = try WorkerUnderTest(
            "push-arrival-worker",
            PushTopics.settings(cluster, more: "forward:\n  enabled: true\n  batch: 50\n")
        )
        let forwarder = try WorkerUnderTest(
            "push-arrival-worker",
            PushTopics.forwarderSettings(cluster, url: upstream.url),
            command: ["forward", "run"]
        )
        let events = PushEvents(1_000, messages: 2, to: cluster.input, seed: 3)
        try cluster.publish(events.records)
        let results = try TopicContents("\(cluster.input).forward.result", cluster)
        let arrived = events.expected.values.reduce(0) { $0 + $1.arrived }
        let isThere = results.read { records in
            records.reduce(0) { $0 + (Self.arrivals(of: $1) ?? 0) } == arrived
        }
        #expect(isThere, "\(results.records.count) results: \(forwarder.log)")
        let devices = upstream.bodies.flatMap { body in
            ((try? JSONSerialization.jsonObject(with: Data(body.utf8))) as? [String: [[String: Any]]])?[
                "arrivals"
            ] ?? []
        }.map { "\($0["messageId"] ?? "") \($0["deviceId"] ?? "")" }
        #expect(devices.count == arrived)
        #expect(Set(devices).count == arrived)
        #expect(upstream.heads.allSatisfy { $0.contains("Authorization: Bearer test-token") })
        #expect(upstream.heads.allSatisfy { $0.contains("Idempotency-Key: \(cluster.input).forward/") })
        #expect(worker.stop() == 0 && forwarder.stop() == 0, "\(forwarder.log)")
        #expect(!forwarder.log.contains("test-token"))
        upstream.stop()
        try await cluster.end()
    }

    private static func arrivals(of record: InboundRecord) -> Int? {
        record.value.flatMap {
            ((try? JSONSerialization.jsonObject(with: Data($0))) as? [String: Any])?["arrivals"] as? Int
        }
    }

    /// A worker that is stopped in its work for longer than the group waits, and goes on as if nothing had happened,
    /// commits nothing of what others have done meanwhile.
    @Test func aWorkerThatWasAsleepCountsNothingTwice() async throws {
        let count = 40_000
        let cluster = try await PushTopics.cluster(partitions: 4)
        let events = PushEvents(count, messages: 3, to: cluster.input, seed: 9)
        let sleeper = try Self.worker(cluster)
        let results = try TopicContents(cluster.results, cluster)
        try cluster.publish(Array(events.records[..<(count / 2)]))
        #expect(results.read { $0.count > 500 }, "\(sleeper.log)")
        sleeper.send(SIGSTOP)
        try cluster.publish(Array(events.records[(count / 2)...]))
        let other = try Self.worker(cluster)
        #expect(
            results.read { $0.count >= count },
            "\(results.records.count): \(other.log)"
        )
        sleeper.send(SIGCONT)
        #expect(sleeper.waitForLog("took up partitions", times: 2), "\(sleeper.log)")
        let statistics = try TopicContents("\(cluster.input).stats", cluster)
        let isExact = statistics.read { Self.told($0.latest) == events.expected }
        #expect(isExact, "\(Self.told(statistics.records.latest)) instead of \(events.expected)")
        #expect(sleeper.stop() == 0 && other.stop() == 0, "\(sleeper.log)")
        _ = results.read(atMost: .seconds(2)) { $0.count > count }
        Self.check(results.records, against: events, count)
        try await cluster.end()
    }

    private static func check(_ records: [InboundRecord], against events: PushEvents, _ count: Int) {
        let ids = records.compactMap(\.outcomeID)
        #expect(ids.count == count)
        #expect(Set(ids).count == count, "each input record has one result")
        var standings: [String: Int] = [:]
        for record in records {
            let object = record.value.flatMap {
                (try? JSONSerialization.jsonObject(with: Data($0))) as? [String: Any]
            }
            standings[object?["result"] as? String ?? "none", default: 0] += 1
        }
        #expect(standings == ["accepted": events.accepted, "duplicate": events.duplicates])
    }

    private static func told(_ latest: [String: [String: Any]]) -> [String: PushEvents.Expected] {
        var told: [String: PushEvents.Expected] = [:]
        for statistics in latest.values {
            func number(_ name: String) -> Int { statistics[name] as? Int ?? -1 }
            told[statistics["messageId"] as? String ?? ""] = PushEvents.Expected(
                sent: number("sent"),
                accepted: number("accepted"),
                rejected: number("rejected"),
                arrived: number("arrived"),
                shown: number("shown"),
                opened: number("opened"),
                dismissed: number("dismissed"),
                duplicates: number("duplicates"),
                histogram: statistics["lagHist"] as? [Int] ?? []
            )
        }
        return told
    }

    private static func worker(_ cluster: TestCluster, threads: Int = 1) throws -> WorkerUnderTest {
        let settings = PushTopics.settings(cluster, more: "state:\n  threads: \(threads)")
        return try WorkerUnderTest("push-arrival-worker", settings)
    }
}
