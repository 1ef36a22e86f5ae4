import Foundation
import Harness
import ServiceKit
import Terminal
import UpstreamSimulator

/// The settings files of the receipt workers and of the simulated store.
struct ChaosStore {
    private static let stockName = "store.json"

    private struct Stock: Encodable {
        var apps: [SimulatedApp]
        var purchases: [SimulatedPurchase]
    }

    private let folder: TemporaryFolder

    init(in folder: TemporaryFolder) throws {
        self.folder = folder
        let purchases = ReceiptInputs.purchases(now: Moment.now.wall)
        let stock = Stock(apps: [SimulatedApp(bundleID: ReceiptInputs.bundleID)], purchases: purchases)
        let text = String(decoding: try JSONEncoder().encode(stock), as: UTF8.self)
        try folder.write(text, to: Self.stockName)
    }

    /// The arguments for `flotilla-lab upstreams`, the same for production and for the sandbox.
    var upstreamWords: [String] { ["--store", self.folder.file(Self.stockName)] }

    /// Writes the settings of a receipt worker, with further lines as in `WorkerFile.common`.
    func write(
        to name: String,
        brokers: String,
        production: String,
        sandbox: String,
        kafka: [String],
        worker: [String]
    ) throws(Complaint) {
        // The limit for bytes in hand is small, so that records that wait for the sandbox must be parked.
        let text = """
            \(WorkerFile.common(brokers: brokers, kafka: kafka, worker: worker + ["bytes_limit: 1MiB"]))\
            receipt:
              verifyreceipt_production_url: \(production)
              verifyreceipt_sandbox_url: \(sandbox)/sandbox
              apps:
                - bundle_id: \(ReceiptInputs.bundleID)
                  route: verifyreceipt

            """
        try self.folder.write(text, to: name)
    }
}
