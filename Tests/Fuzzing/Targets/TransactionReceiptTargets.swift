import Cryptography

@testable import WireFormats

extension FuzzTarget {
    /// A property list of the old style, alone and inside the receipt that it would be a part of.
    static let oldPropertyList = FuzzTarget(
        "old-property-list",
        longestInput: 1_024,
        words: ["\" = \"", "\";\n", "\\\"", "\\n", "{}", "transaction-id", "purchase-date-ms", "bid"],
        seeds: {
            let receipts = VectorRows.of("ios6_transaction_receipt").compactMap { $0.bytes("receipt_b64") }
            let inside = receipts.compactMap { (try? TransactionReceipt(unverified: $0))?.signedText }
            return inside + receipts.map { Array($0.prefix(1_024)) }
        }
    ) { input in
        let list = OldPropertyList(input)
        let receipt = PropertyListClaims.written([
            "purchase-info": String(decoding: Base64.encode(input), as: UTF8.self)
        ])
        let read = try? TransactionReceipt(unverified: receipt)
        try claim("a receipt is read if what is in it is", read?.purchaseInfo == list?.members)
        if let text = String(validating: input, as: UTF8.self) {
            let quoted = OldPropertyList(PropertyListClaims.written(["a": text, "b": ""]))
            try claim("any text can be in one", quoted?.members == ["a": text, "b": ""])
        }
        guard let list else { return }
        try claim(
            "what was read is written and read as the same",
            OldPropertyList(PropertyListClaims.written(list.members))?.members == list.members
        )
        try claim("members have a bound", list.members.count <= OldPropertyList.membersLimit)
    }

    /// The whole verification of a receipt of iOS 6.
    static let transactionReceipt = FuzzTarget(
        "transaction-receipt",
        longestInput: 3_072,
        words: ["\"signature\" = \"A", "\"purchase-info\" = \"", "\"environment\" = \"Sandbox\";", "\";\n"],
        seeds: { VectorRows.of("ios6_transaction_receipt").map { $0.bytes("receipt_b64") ?? [] } }
    ) { input in
        try TransactionReceiptBench.made.get().check(input)
    }
}

private enum PropertyListClaims {
    static func written(_ members: [String: String]) -> [UInt8] {
        var text = Array("{\n".utf8)
        for (name, value) in members {
            self.quote(name, &text)
            text += " = ".utf8
            self.quote(value, &text)
            text += ";\n".utf8
        }
        return text + "}".utf8
    }

    private static func quote(_ string: String, _ text: inout [UInt8]) {
        text.append(UInt8(ascii: "\""))
        for byte in string.utf8 {
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { text.append(UInt8(ascii: "\\")) }
            text.append(byte)
        }
        text.append(UInt8(ascii: "\""))
    }
}

/// A verifier that trusts the signer of the vectors, and what the good ones of them say.
private struct TransactionReceiptBench {
    static let made = Result { try TransactionReceiptBench() }

    private let verifier: TransactionReceiptVerifier
    private let blind = TransactionReceiptVerifier(anchors: TrustAnchors([]))
    private let signed: Set<[UInt8]>

    private init() throws {
        let rows = VectorRows.of("ios6_transaction_receipt").filter { $0.text("expect") == "OK" }
        let certificates = rows.flatMap { [$0.bytes("issuer_der_b64"), $0.bytes("signing_cert_der_b64")] }
        self.verifier = TransactionReceiptVerifier(anchors: try StoreClaims.anchors(of: certificates))
        let receipts = rows.compactMap { $0.bytes("receipt_b64") }
        self.signed = Set(try receipts.map { try TransactionReceipt(unverified: $0).signedText })
        for receipt in receipts { _ = try self.verifier.receipt(receipt) }
        try claim("there are good receipts among the vectors", receipts.count == 4)
    }

    func check(_ bytes: [UInt8]) throws {
        try claim("nobody is trusted by himself", (try? self.blind.receipt(bytes)) == nil)
        let receipt: TransactionReceipt
        do throws(AppReceiptFault) {
            receipt = try self.verifier.receipt(bytes)
        } catch {
            return try StoreClaims.check(error)
        }
        try claim("what verifies has been signed", self.signed.contains(receipt.signedText))
        try claim("it says what it says unverified", try TransactionReceipt(unverified: bytes) == receipt)
    }
}
