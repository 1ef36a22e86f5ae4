import Kafka
import Simulation
import Testing
import UpstreamHTTP

@testable import WorkerKit

extension Simulation {
    /// 40 records of one partition are settled and committed. The worker still runs.
    ///
    /// - Parameter adjust: changes the engine's settings.
    static func withAllCommitted(
        partitions: Int = 1,
        _ adjust: @escaping (inout EngineSettings) -> Void = { _ in }
    ) throws -> (Simulation, SimulatedWorker) {
        let simulation = Simulation(partitions: partitions, adjust)
        for index in 0..<40 { simulation.cluster.append("ok", key: "k\(index)") }
        let worker = simulation.startWorker()
        #expect(try simulation.run(for: .seconds(10)) { simulation.cluster.isEverythingCommitted })
        return (simulation, worker)
    }

    /// 61 records of which one is still called for: the commit stays there and remembers the others. The worker is killed.
    static func withOneUnfinished(partitions: Int = 1, at unfinished: Int64 = 20) throws -> Simulation {
        let simulation = Simulation(partitions: partitions)
        for index in 0..<61 { simulation.cluster.append("ok", key: "k\(index)") }
        simulation.reply = {
            $0.offset == unfinished
                ? SimulatedUpstream.Reply(409, retryAfter: 3_600) : SimulatedUpstream.Reply(200)
        }
        let worker = simulation.startWorker()
        try simulation.run(for: .seconds(5))
        let commit = simulation.cluster.stored[TopicPartition(topic: SimulatedCluster.topic, partition: 0)]
        #expect(commit?.offset == unfinished)
        #expect(commit?.metadata.isEmpty == false)
        simulation.kill(worker)
        simulation.reply = { _ in SimulatedUpstream.Reply(200) }
        return simulation
    }
}
