import Fleet
import Foundation
import Harness
import ServiceKit
import Terminal
import UpstreamSimulator
import WireMessages
import WorkerKit

/// The demo of the receipt worker: purchases in Apple's store, verified in each of the three ways.
final class ReceiptDemo: WorkerDemo {
    private static let storeName = "store.json"
    private static let rootName = "store-root.pem"
    private static let secretName = "receipt-shared-secret"
    private static let keyName = "receipt-key.p8"
    private static let keyID = "DEMOKEY002"
    private static let issuerID = "57246542-96fe-1a63-e053-0824d011072a"

    /// The contents of the file for `flotilla-lab upstreams --store`.
    private struct Stock: Encodable {
        var apps: [SimulatedApp]
        var purchases: [SimulatedPurchase]
    }

    let worker = Roster.receipt
    let upstream: String? = "App Store"
    let results: any WorkerResult.Type = Flotilla_Receipt_V1_ReceiptResult.self
    private let folder: TemporaryFolder
    private let make: Receipts
    private var steps = 0

    /// Makes a key and a shared secret for this run, and writes the file with the store's contents.
    init(in folder: TemporaryFolder) throws(Complaint) {
        self.folder = folder
        self.make = Receipts(
            topic: Roster.receipt.topic,
            now: Int64(Date.now.timeIntervalSince1970 * 1_000)
        )
        guard let key = IssuedKey() else { throw Complaint("no key for the App Store could be made") }
        let secret = String(UInt64.random(in: .min ... .max), radix: 36)
        try folder.write("\(secret)\n", to: Self.secretName)
        try folder.write(key.privatePEM, to: Self.keyName)
        let stock = Stock(
            apps: [
                SimulatedApp(bundleID: Receipts.App.shop.bundleID, sharedSecret: secret),
                SimulatedApp(
                    bundleID: Receipts.App.books.bundleID,
                    issuerID: Self.issuerID,
                    keyID: Self.keyID,
                    publicKeyPEM: key.publicPEM
                ),
            ],
            purchases: self.make.purchases
        )
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        // The values are texts and numbers, so encoding cannot fail.
        let text = (try? encoder.encode(stock)).map { String(decoding: $0, as: UTF8.self) } ?? ""
        try folder.write(text, to: Self.storeName)
    }

    var upstreamWords: [String] {
        ["--store", self.folder.file(Self.storeName), "--store-root", self.folder.file(Self.rootName)]
    }

    func write(to name: String, brokers: String, upstream: String, worker: [String]) throws(Complaint) {
        let text = """
            \(WorkerFile.common(brokers: brokers, worker: worker))\
            apple:
              signed_data_roots: \(Self.rootName)
            receipt:
              verifyreceipt_production_url: \(upstream)
              verifyreceipt_sandbox_url: \(upstream)/sandbox
              app_store_production_url: \(upstream)
              app_store_sandbox_url: \(upstream)/sandbox
              first_lag: 200ms
              lag_attempts: 3
              limited_attempts: 3
              apps:
                - bundle_id: \(Receipts.App.shop.bundleID)
                  route: verifyreceipt
                  shared_secret_file: \(Self.secretName)
                - bundle_id: \(Receipts.App.books.bundleID)
                  route: app_store_server_api
                  issuer_id: \(Self.issuerID)
                  key_id: \(Self.keyID)
                  key_file: \(Self.keyName)
                - bundle_id: \(Receipts.App.quiet.bundleID)
                  route: local
                # Of this one Apple knows nothing.
                - bundle_id: \(Receipts.App.gone.bundleID)
                  route: verifyreceipt

            """
        try self.folder.write(text, to: name)
    }

    func nextStep(now: Int64) -> DemoStep? {
        defer { self.steps += 1 }
        switch self.steps {
        case 0: return DemoStep("Purchases, verified in each of the three ways", self.make.good())
        case 1: return DemoStep("Refused here: Apple is not asked", self.make.refusedHere())
        case 2: return DemoStep("Wrong records: dead letters, and no call", self.make.malformed())
        case 3: return DemoStep("A final no, once Apple has been asked", self.make.refusedByApple())
        case 4:
            return DemoStep(
                "Trouble on the way: try again when due",
                faults: Receipts.troubles,
                self.make.troubled()
            )
        case 5:
            return DemoStep("Apple wants to be left alone", faults: Receipts.throttle, self.make.throttled())
        default: return nil
        }
    }
}
