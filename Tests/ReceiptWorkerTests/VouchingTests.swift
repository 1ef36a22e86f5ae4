import Cryptography
import Records
import TestMaterial
import Testing
import UpstreamHTTP
import WireFormats
import WorkerKit

@testable import ReceiptWorker

/// Which receipts show that a purchase is their sender's, on the route through the App Store Server API.
@Suite struct VouchingTests {
    private static let victim = "2000000123456789"

    /// A hand-written receipt of iOS 6 with the victim's transaction, and garbage for a signature.
    private static func forged(version: UInt8, _ claim: [String: String] = [:]) -> InboundRecord {
        func base64(_ bytes: [UInt8]) -> String { String(decoding: Base64.encode(bytes), as: UTF8.self) }
        let info = #"""
            { "bid" = "com.example.app"; "product-id" = "pro"; "transaction-id" = "\#(Self.victim)";
              "original-transaction-id" = "\#(Self.victim)"; "purchase-date-ms" = "1"; }
            """#
        let signature = [version] + [UInt8](repeating: 0x5A, count: 300)
        let list =
            #"{ "signature" = "\#(base64(signature))"; "purchase-info" = "\#(base64(Array(info.utf8)))"; }"#
        return Case.record(["receiptData": base64(Array(list.utf8))].merging(claim) { $1 })
    }

    private static func transactionRoots() throws -> TrustAnchors {
        try TrustAnchors(
            base64: try #require(try TransactionReceiptVector.named("valid_sandbox").signing_cert_der_b64)
        )
    }

    private static func made(_ change: (inout LocalVerifier.Anchors) throws -> Void) throws -> Case {
        var anchors = LocalVerifier.Anchors(
            appReceipts: try TrustAnchors(base64: try ReceiptVector.root),
            signedData: try StoreVoice.anchors,
            transactionReceipts: try Self.transactionRoots()
        )
        try change(&anchors)
        return try Case(.serverAPI) {
            $0.anchors = anchors
            $0.apps[0].asksForSubscriptions = false
        }
    }

    /// With every root configured, version 3 and garbage made somebody else's purchase valid.
    @Test(arguments: [0, 1, 3, 255] as [UInt8], [[:], ["transactionId": victim], ["productId": "pro"]])
    func aReceiptOfAnotherVersionVouchesForNothing(version: UInt8, claim: [String: String]) throws {
        let plan = try Self.made { _ in }.plan(Self.forged(version: version, claim))
        #expect(Case.text(plan) == "refuse receipt.signature_version unavailable")
    }

    /// Roots of app receipts alone protect too: an attacker would simply choose the older form.
    @Test(arguments: [2, 3] as [UInt8])
    func anOldReceiptIsNoWayAroundTheRootsOfAppReceipts(version: UInt8) throws {
        let plan = try Self.made { $0.transactionReceipts = nil }.plan(Self.forged(version: version))
        #expect(Case.text(plan) == "refuse configuration.no_anchor unavailable")
        let bad = try Self.made { _ in }.plan(Self.forged(version: 2))
        #expect(Case.text(bad).hasPrefix("refuse receipt.") && Case.text(bad).hasSuffix(" invalid"))
    }

    /// A receipt of iOS 6 that its own root vouches for belongs to a customer, and Apple is asked how it stands.
    @Test func aWellSignedOldReceiptIsAskedAbout() throws {
        let record = Case.record([
            "receiptData": try TransactionReceiptVector.named("valid_production").receipt_b64
        ])
        let testCase = try Self.made { _ in }
        let call = try testCase.call(record)
        let purchase = StoreVoice.purchase("1000000046178817", ["productId": "com.example.app.coins.100"])
        let verdict = testCase.verdict(200, try StoreVoice.transaction(purchase), to: call.job)
        #expect(Case.text(verdict) == "answer valid")
    }

    /// Where no root is configured, customers are served as they are by an id alone; the result says that nobody has
    /// verified the receipt.
    @Test func withoutRootsTheReceiptOnlyCarriesAnID() throws {
        let testCase = try Self.made { ($0.appReceipts, $0.transactionReceipts) = (nil, nil) }
        let old = try testCase.call(Self.forged(version: 3, ["transactionId": Self.victim]))
        let purchase = try StoreVoice.transaction(StoreVoice.purchase(Self.victim))
        #expect(Case.text(testCase.verdict(200, purchase, to: old.job)) == "answer valid receipt.unverified")
        // An expired one says why it is expired.
        let over = StoreVoice.purchase(Self.victim, ["expiresDate": .number(Case.now - 1)])
        #expect(
            Case.text(testCase.verdict(200, try StoreVoice.transaction(over), to: old.job))
                == "answer expired transaction.expired"
        )
        let app = try testCase.call(try Case.appReceipt("subscription", ["environment": "production"]))
        #expect(Case.text(testCase.verdict(200, purchase, to: app.job)) == "answer valid receipt.unverified")
        let bare = try testCase.call(Case.record(["transactionId": Self.victim]))
        #expect(Case.text(testCase.verdict(200, purchase, to: bare.job)) == "answer valid")
    }

    /// verifyReceipt is shown the receipt itself, so Apple verifies what nothing here can.
    @Test func appleVerifiesTheReceiptOnTheOtherRoute() throws {
        let testCase = try Case { $0.anchors.transactionReceipts = try? Self.transactionRoots() }
        #expect(try testCase.call(Self.forged(version: 3)).request.url.hasSuffix("/verifyReceipt"))
    }
}
