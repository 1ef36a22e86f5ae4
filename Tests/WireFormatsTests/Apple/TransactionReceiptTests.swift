import Cryptography
import TestMaterial
import Testing

@testable import WireFormats

@Suite struct TransactionReceiptTests {
    private static let rows = TransactionReceiptVector.all

    private static func named(_ name: String) throws -> TransactionReceiptVector {
        try TransactionReceiptVector.named(name)
    }

    static func status(_ bytes: [UInt8], _ verifier: TransactionReceiptVerifier) -> String {
        do throws(AppReceiptFault) {
            _ = try verifier.receipt(bytes)
            return "OK"
        } catch {
            return error.kind.rawValue
        }
    }

    @Test func hasAllVectors() {
        #expect(Self.rows.count == 7)
    }

    @Test(arguments: rows)
    func saysWhatTheVectorSays(row: TransactionReceiptVector) throws {
        let signer = try row.signing_cert_der_b64 ?? Self.named("valid_sandbox").signing_cert_der_b64
        #expect(Self.status(try row.bytes, try row.verifier(anchoredAt: signer)) == row.expect)
    }

    /// An issuer certifies much that is no signer of receipts: this one's signer does not say that it is.
    @Test func trustsNothingElseOfTheIssuer() throws {
        let row = try Self.named("valid_sandbox")
        let fault = #expect(throws: AppReceiptFault.self) {
            try row.verifier(anchoredAt: row.issuer_der_b64).receipt(try row.bytes)
        }
        #expect(fault?.reason.code == "receipt.untrusted")
    }

    @Test(arguments: rows.filter { $0.purchase_info != nil })
    func readsThePurchase(row: TransactionReceiptVector) throws {
        let receipt = try TransactionReceipt(unverified: try row.bytes)
        let info = try #require(row.purchase_info)
        #expect(receipt.purchaseInfo == info)
        #expect(receipt.environmentName == row.environment)
        #expect(receipt.transaction.transactionID == row.transaction_id)
        // It is outside the signature.
        #expect(receipt.transaction.environment == nil)
        #expect(receipt.transaction.bundleID == info["bid"])
        #expect(receipt.transaction.productID == info["product-id"])
        #expect(receipt.transaction.quantity == 1)
        #expect(receipt.transaction.purchasedAt == 1_335_798_355_868)
        #expect(receipt.transaction.expiresAt == info["expires-date"].flatMap { Int64($0) })
        #expect(receipt.transaction.webOrderLineItemID == info["web-order-line-item-id"])
    }

    @Test(arguments: rows)
    func findsTheTransactionID(row: TransactionReceiptVector) {
        let input = try? ReceiptInput(Array(row.receipt_b64.utf8))
        #expect(input?.transactionID == row.transaction_id)
    }

    @Test func trustsNoCertificateBecauseItIsThere() throws {
        let row = try Self.named("valid_sandbox")
        let stranger = try JWSVector.named("valid").anchors
        let fault = #expect(throws: AppReceiptFault.self) {
            try TransactionReceiptVerifier(anchors: stranger).receipt(try row.bytes)
        }
        #expect(fault?.reason.code == "receipt.untrusted")
        let unknown = #expect(throws: AppReceiptFault.self) {
            try TransactionReceiptVerifier(anchors: TrustAnchors([])).receipt(try row.bytes)
        }
        #expect(unknown?.kind == .unverifiable)
    }

    @Test func leavesNewerSignaturesToApple() throws {
        let row = try Self.named("valid_sandbox")
        // The version is the first byte: "Ag…" in base64 is 2, "Aw…" is 3.
        let text = String(decoding: try row.bytes, as: UTF8.self)
        let newer = text.replacing(#""signature" = "As"#, with: #""signature" = "A8"#)
        #expect(newer != text)
        let fault = #expect(throws: AppReceiptFault.self) {
            try row.verifier(anchoredAt: row.issuer_der_b64).receipt(Array(newer.utf8))
        }
        #expect(fault?.kind == .unverifiable)
        #expect(fault?.reason.code == "receipt.signature_version")
    }

    @Test func believesNoReceiptWithADamagedByte() throws {
        let row = try Self.named("valid_sandbox")
        let verifier = try row.verifier(anchoredAt: row.signing_cert_der_b64)
        let original = try row.bytes
        let transaction = try verifier.receipt(original).transaction
        for index in original.indices {
            var damaged = original
            damaged[index] ^= 1 << (index % 7)
            guard let read = try? verifier.receipt(damaged) else { continue }
            // The environment is outside the signature.
            #expect(read.transaction.productID == transaction.productID, "byte \(index)")
            #expect(read.transaction.transactionID == transaction.transactionID, "byte \(index)")
        }
        for length in stride(from: 0, to: original.count - 2, by: 3) {
            #expect(Self.status(Array(original.prefix(length)), verifier) == "MALFORMED", "length \(length)")
        }
    }

    // MARK: The property list

    @Test(arguments: [
        (#"{}"#, [:]),
        (#" { "a" = "b" ; } "#, ["a": "b"]),
        (#"{a=b;c="d"}"#, ["a": "b", "c": "d"]),
        (#"{"a \"b\"\\" = "\n";}"#, [#"a "b"\"#: "\n"]),
        (#"{"a" = "";}"#, ["a": ""]),
    ])
    func readsPropertyLists(text: String, members: [String: String]) throws {
        #expect(try #require(OldPropertyList(Array(text.utf8))).members == members)
    }

    @Test(arguments: [
        "", "{", "}", "{a}", "{a=}", "{a=b", "{a=b;", "{a=b;}x", "{a=b c=d}", #"{"a=b;}"#, #"{a="\"#,
        "{a=b;a=c;}",
        "{a={b=c;};}", "(a,b)", #"{a="b}"#,
    ])
    func refusesWhatIsNoPropertyList(text: String) {
        #expect(OldPropertyList(Array(text.utf8)) == nil)
    }
}

extension TransactionReceiptVector {
    var bytes: [UInt8] { get throws { try #require(Base64.decode(self.receipt_b64.utf8)) } }

    fileprivate func verifier(anchoredAt der: String?) throws -> TransactionReceiptVerifier {
        TransactionReceiptVerifier(anchors: try TrustAnchors(base64: try #require(der)))
    }
}
