import Foundation
import Records
import Testing

@Suite(.serialized, .timeLimit(.minutes(10)))
struct PushArrivalTests {
    /// Three workers, one of which dies every other moment, and a fifth of all events come twice, a third of them in the
    /// wrong partition. In the end the numbers are those that the input has.
    @Test func twentyKillsLeaveTheStatisticsExact() async throws {
        let (count, kills) = (200_000, 20)
        let cluster = try await PushTopics.cluster(partitions: 6)
        let events = PushEvents(count, messages: 7, to: cluster.input, seed: 42)
        let results = try TopicContents(cluster.results, cluster)
        var workers = try (0..<3).map { _ in try Self.worker(cluster) }
        // The rest is published while workers die.
        let batch = count / (kills + 1)
        for round in 0..<kills {
            try cluster.publish(Array(events.records[(round * batch)..<((round + 1) * batch)]))
            let goal = round * batch + 1
            #expect(results.read(atMost: .seconds(90)) { $0.count >= goal }, "round \(round)")
            let victim = round % workers.count
            workers[victim].send(SIGKILL)
            #expect(workers[victim].exitStatus() == 128 + SIGKILL)
            workers[victim] = try Self.worker(cluster)
        }
        try cluster.publish(Array(events.records[(kills * batch)...]))
        #expect(
            results.read(atMost: .seconds(120)) { $0.count >= count },
            "\(results.records.count) of \(count)"
        )
        let statistics = try TopicContents("\(cluster.input).stats", cluster)
        #expect(
            statistics.read(atMost: .seconds(60)) { records in
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

    private static func worker(_ cluster: TestCluster) throws -> WorkerUnderTest {
        try WorkerUnderTest("push-arrival-worker", PushTopics.settings(cluster))
    }
}
