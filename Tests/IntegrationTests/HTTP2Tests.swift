import Foundation
import Records
import Testing

/// A worker that speaks HTTP/2 as Apple's hosts do, with a server that is none of ours.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct HTTP2Tests {
    private static let answer = #"{"bit0":true,"bit1":false,"last_update_time":"2026-11"}"#

    private static func worker(_ cluster: TestCluster, _ server: HTTP2Server) throws -> WorkerUnderTest {
        try DeviceChecks.worker(
            cluster,
            production: "https://localhost:\(server.port)",
            development: "https://localhost:\(server.port)",
            more: "http:\n  ca_file: \(server.certificate)"
        )
    }

    @Test func manyCallsAreStreamsOfAFewConnections() async throws {
        let cluster = try TestCluster()
        let server = try HTTP2Server(answers: ["v1/query_two_bits": Self.answer])
        let worker = try Self.worker(cluster, server)
        try cluster.publish(
            (0..<300).map {
                DeviceChecks.record("query", to: cluster.input, device: "d\($0)", id: "\($0)")
            }
        )
        let results = try TopicContents(cluster.results, cluster)
        #expect(results.read(outcomes: 300), "\(worker.log)")
        #expect(results.deviceChecks.values.allSatisfy { $0.result == "state" && $0.bits == [true, false] })
        #expect(worker.log.contains("trusts its own authorities instead of the system's"))
        #expect(worker.stop() == 0, "\(worker.log)")
        // The end of the connections is the last that it tells of.
        #expect(server.waitForLog("closed"))
        let lines = server.log.split(separator: "\n")
        #expect(lines.count { $0.hasSuffix(":method: POST") } == 300)
        // "[id=3] [  1.101] recv HEADERS frame": each connection has its number.
        let numbered = lines.filter { $0.hasPrefix("[id=") }
        let connections = Set(numbered.map { line in line.prefix { $0 != "]" } })
        #expect((1...8).contains(connections.count), "\(connections.count)")
        let protocols = Set(lines.filter { $0.hasPrefix("The negotiated protocol: ") })
        #expect(protocols == ["The negotiated protocol: h2"])
        try cluster.remove()
    }
}
