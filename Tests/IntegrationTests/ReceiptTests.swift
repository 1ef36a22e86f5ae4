import Foundation
import Records
import Testing
import UpstreamSimulator
import WorkerTestSupport

/// The receipt worker's process, a broker, and Apple as the simulator plays it.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct ReceiptTests {
    private static let day: Int64 = 86_400_000

    /// The root of the simulator lies here, as a file.
    private let folder: TemporaryFolder
    private let root: URL

    init() throws {
        self.folder = try TemporaryFolder()
        self.root = try self.folder.write(SimulatedChain.rootPEM, to: "root.pem")
    }

    @Test func asksVerifyReceiptInBothEnvironments() async throws {
        let cluster = try TestCluster()
        let purchases = [
            Receipts.purchase("2000000000000001", expiresIn: Self.day),
            Receipts.purchase("2000000000000002", isSandbox: true),
            Receipts.purchase("2000000000000003", expiresIn: -Self.day),
            Receipts.purchase("2000000000000004", revoked: true),
        ]
        let apple = try await StoreSimulator.start(.init(apps: Receipts.apps, purchases: purchases))
        let worker = try Receipts.worker(cluster, apple, route: "verifyreceipt", root: self.root)
        var records = purchases.map { purchase in
            Receipts.record(
                [
                    "receiptData": SimulatedReceipt.text(of: purchase),
                    "transactionId": purchase.transactionID,
                ],
                to: cluster.input,
                id: purchase.transactionID
            )
        }
        var foreign = purchases[0]
        foreign.bundleID = "com.example.other"
        records.append(
            Receipts.record(["receiptData": SimulatedReceipt.text(of: foreign)], to: cluster.input, id: "f")
        )
        records.append(Receipts.record(["receiptData": "bm9uZQ=="], to: cluster.input, id: "n"))
        try cluster.publish(records)
        let results = try TopicContents(cluster.results, cluster)
        #expect(results.read(outcomes: 6), "\(worker.log)")
        let expected = [
            "2000000000000001": "succeeded valid 2000000000000001 active",
            "2000000000000002": "succeeded valid flagged 2000000000000002 active",
            "2000000000000003": "succeeded expired 2000000000000003 expired",
            "2000000000000004": "succeeded refunded 2000000000000004 revoked",
            "f": "rejected not_ours", "n": "rejected invalid",
        ]
        for (id, text) in expected { #expect(results.receipts[id]?.text == text, "\(id)") }
        // Two for the one of the sandbox, and none for what is not ours.
        #expect(
            apple.calls().map(\.target).sorted() == [
                "/sandbox/verifyReceipt", "/verifyReceipt", "/verifyReceipt", "/verifyReceipt",
                "/verifyReceipt",
            ]
        )
        #expect(!worker.log.contains("s3cret"))
        #expect(worker.stop() == 0, "\(worker.log)")
        await apple.stop()
        try cluster.remove()
    }

    @Test func asksTheServerAPIAndBelievesOnlySignatures() async throws {
        let cluster = try TestCluster()
        let purchases = [
            Receipts.purchase("2000000000000001", expiresIn: Self.day),
            Receipts.purchase("2000000000000002", isSandbox: true),
            Receipts.purchase("2000000000000003", expiresIn: -Self.day),
            Receipts.purchase("2000000000000004", revoked: true),
            Receipts.purchase("2000000000000005", lag: 2),
        ]
        let apple = try await StoreSimulator.start(.init(apps: Receipts.apps, purchases: purchases))
        let worker = try Receipts.worker(cluster, apple, route: "app_store_server_api", root: self.root)
        let ids = purchases.map(\.transactionID) + ["2000000000000009"]
        try cluster.publish(
            ids.map { Receipts.record(["transactionId": $0], to: cluster.input, id: $0) }
        )
        let results = try TopicContents(cluster.results, cluster)
        #expect(results.read(outcomes: 6), "\(worker.log)")
        let expected = [
            "2000000000000001": "succeeded valid 2000000000000001 active",
            "2000000000000002": "succeeded valid flagged 2000000000000002 active",
            "2000000000000003": "succeeded expired 2000000000000003 expired",
            "2000000000000004": "succeeded refunded 2000000000000004 revoked",
            "2000000000000005": "succeeded valid 2000000000000005 active",
            "2000000000000009": "rejected invalid",
        ]
        for (id, text) in expected { #expect(results.receipts[id]?.text == text, "\(id)") }
        #expect(results.receipts["2000000000000001"]?.transactions?.first?.willRenew == true)
        #expect(apple.stats().answers["401"] == nil)
        #expect(worker.stop() == 0, "\(worker.log)")
        await apple.stop()
        try cluster.remove()
    }
}
