import Foundation
import Records
import Testing
import UpstreamSimulator

/// The worker's executable, a broker and the simulator of the Marketing API.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct MarketingTests {
    private static func worker(_ cluster: TestCluster, _ tencent: RunningMarketing) throws -> WorkerUnderTest
    {
        let text = """
            kafka:
              brokers: \(cluster.brokers)
              topic: \(cluster.input)
              result_topic: \(cluster.results)
              dead_letter_topic: \(cluster.deadLetters)
              session_timeout: 6s
            marketing_api:
              url: \(tencent.url)/v3.0
              requests: 1
            gdt:
              apps:
                - app_id: 112233
                  advertiser_id: 10000
                  route: marketing_api
                  user_action_set_id: 77
                  access_token: sec-1
            health:
              host: 127.0.0.1
              port: 0
            log:
              format: text
            """
        return try WorkerUnderTest("activation-worker", text)
    }

    /// Tencent refuses a request as a whole; the worker splits it until the bad action stands alone.
    @Test func aBatchWithOneBadActionRefusesThatOneAlone() async throws {
        let cluster = try TestCluster()
        let tencent = try await MarketingSimulator.start(
            MarketingSimulator.Settings(
                accounts: [.init(accountID: 10_000, actionSetIDs: [77])],
                tokens: ["sec-1"]
            )
        )
        let (count, bad) = (120, 60)
        try cluster.publish(
            (0..<count).map {
                Activations.good($0, to: cluster.input, clickID: $0 == bad ? "bad-1" : "c\($0)")
            }
        )
        let worker = try Self.worker(cluster, tencent)
        let results = try TopicContents(cluster.results, cluster)
        #expect(results.read { $0.count >= count }, "\(worker.log)")
        let values = results.records.map { String(decoding: $0.value ?? [], as: UTF8.self) }
        #expect(values.count { $0.contains(#""fate":"succeeded""#) } == count - 1)
        let refused = results.records.filter {
            String(decoding: $0.value ?? [], as: UTF8.self).contains(#""fate":"rejected""#)
        }
        #expect(refused.map(\.key) == [Array("key-\(bad)".utf8)])
        #expect(tencent.conversions().count == count - 1)
        #expect(tencent.conversions().allSatisfy { $0.count == 1 })
        // Otherwise nothing was split.
        #expect(tencent.stats().largestBatch > 1)
        #expect(worker.stop() == 0, "\(worker.log)")
        await tencent.stop()
        try cluster.remove()
    }
}
