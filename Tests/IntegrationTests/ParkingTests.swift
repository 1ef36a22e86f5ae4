import Foundation
import Records
import Testing
import UpstreamSimulator
import WorkerTestSupport

/// A record that waits for a destination that is down leaves the worker's memory, and comes back when the destination
/// does: with the process, a broker that keeps transactions, and Apple as the simulator plays it.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct ParkingTests {
    @Test(arguments: ["at-least-once", "exactly-once"])
    func theSandboxThatIsDownDelaysNoProductionReceipt(delivery: String) async throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let root = try folder.write(SimulatedChain.rootPEM, to: "root.pem")
        let cluster = try await TestCluster.transactional(partitions: 2)
        try cluster.createParking(partitions: 2)
        let purchases = (1...60).map { number in
            Receipts.purchase("20000000000\(10_000 + number)", isSandbox: number <= 20, expiresIn: 86_400_000)
        }
        let apple = try await StoreSimulator.start(.init(apps: Receipts.apps, purchases: purchases))
        // No server listens on port 1.
        let worker = try self.worker(cluster, apple, delivery, root, sandboxURL: "http://127.0.0.1:1")
        let ballast = String(repeating: "x", count: 40_000)
        // Ten requests for each of twenty customers of the sandbox: 8 MB, and the worker may have one in hand.
        let waiting = (0..<200).map { number in
            Receipts.record(
                [
                    "transactionId": purchases[number % 20].transactionID, "environment": "sandbox",
                    "ballast": ballast,
                ],
                to: cluster.input,
                id: "s\(number)",
                key: "customer \(number % 20)"
            )
        }
        try cluster.publish(waiting)
        let honest = purchases.dropFirst(20).map { purchase in
            Receipts.record(
                ["transactionId": purchase.transactionID, "environment": "production"],
                to: cluster.input,
                id: purchase.transactionID
            )
        }
        try cluster.publish(honest)
        let results = try TopicContents(cluster.results, cluster)
        #expect(results.read(outcomes: 40), "\(worker.log)")
        #expect(
            Set(results.receipts.keys)
                == Set(honest.compactMap { $0.key.map { String(decoding: $0, as: UTF8.self) } })
        )
        let tickets = try TopicContents(cluster.parked, cluster)
        #expect(tickets.read { $0.count >= 150 }, "\(worker.log)")

        // A worker that follows a killed one knows which records that one had put aside.
        worker.send(SIGKILL)
        _ = worker.exitStatus()
        let next = try self.worker(cluster, apple, delivery, root)
        #expect(results.read(outcomes: 240), "\(next.log)")
        #expect(next.stop() == 0, "\(next.log)")
        var order: [String: [Int]] = [:]
        for record in results.records {
            guard let id = record.receipt?.requestId, id.hasPrefix("s"), let number = Int(id.dropFirst())
            else { continue }
            order["\(number % 20)", default: []].append(number)
        }
        #expect(order.count == 20)
        for (customer, numbers) in order { #expect(numbers == numbers.sorted(), "customer \(customer)") }
        if delivery == "exactly-once" { #expect(results.records.count == 240) }
        // Every ticket is taken back.
        let end = tickets.read { records in
            let last = Dictionary(records.map { ($0.key ?? [], $0.value != nil) }) { $1 }
            return last.values.allSatisfy { !$0 }
        }
        #expect(end)
        await apple.stop()
        try cluster.remove()
    }

    private func worker(
        _ cluster: TestCluster,
        _ apple: RunningStore,
        _ delivery: String,
        _ root: URL,
        sandboxURL: String? = nil
    ) throws -> WorkerUnderTest {
        try Receipts.worker(
            cluster,
            apple,
            route: "app_store_server_api",
            root: root,
            sandboxURL: sandboxURL,
            more: """
                worker:
                  bytes_limit: 1MiB
                  delivery: \(delivery)
                """
        )
    }
}
