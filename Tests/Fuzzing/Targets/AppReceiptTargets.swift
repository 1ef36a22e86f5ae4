import Cryptography

@testable import WireFormats

extension FuzzTarget {
    /// The container and its attributes, believed or not.
    static let appReceipt = FuzzTarget(
        "app-receipt",
        longestInput: 4_096,
        words: AppReceiptClaims.words,
        seeds: AppReceiptClaims.seeds
    ) { input in
        let receipt: AppReceipt
        do throws(AppReceiptFault) {
            receipt = try AppReceipt(unverified: input)
        } catch {
            return try StoreClaims.check(error)
        }
        try AppReceiptClaims.check(receipt, in: input)
    }

    /// The whole verification, with the roots of the vectors and with a key that is known already.
    static let verifiedAppReceipt = FuzzTarget(
        "app-receipt-verified",
        longestInput: 4_096,
        words: AppReceiptClaims.words,
        seeds: AppReceiptClaims.seeds
    ) { input in
        try AppReceiptBench.made.get().check(input)
    }
}

private enum AppReceiptClaims {
    static let words = [
        "\u{30}\u{1E}\u{2}\u{1}\u{C}\u{2}\u{1}\u{1}\u{4}\u{16}\u{16}\u{14}2023-06-01T12:00:00Z",
        "\u{2}\u{2}\u{6}", "2023-06-01T13:00:00+0100", "Sandbox", "\u{4}\u{2}\u{C}\0",
    ]

    static let seeds: @Sendable () -> [[UInt8]] = {
        VectorRows.of("pkcs7_receipt").map { $0.bytes("receipt_b64") ?? [] }
    }

    static func check(_ receipt: AppReceipt, in bytes: [UInt8]) throws {
        try claim("purchases have a bound", receipt.purchases.count <= AppReceipt.purchasesLimit)
        let content = try SignedDataContainer(bytes).content
        let again = try AppReceipt(unverified: self.inPieces(content))
        try claim("a receipt says the same in pieces and without its signer", again == receipt)
        if receipt.purchases.contains(where: { $0.transactionID != nil }) {
            try claim("an id is found where there is one", ReceiptInput.app(bytes).transactionID != nil)
        }
        _ = receipt.isBound(to: bytes)
    }

    /// As Xcode writes a container: lengths indefinite, the content in pieces, nobody's signature.
    private static func inPieces(_ content: ArraySlice<UInt8>) -> [UInt8] {
        let pkcs7: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07]
        let data = BER.value(0x06, pkcs7 + [0x01])
        let inside = BER.open(0x30, data + BER.open(0xA0, BER.pieces(content)))
        let none: [UInt8] = []
        let version = BER.value(0x02, [1])
        let signedData = version + BER.value(0x31, none) + inside + BER.value(0x31, none)
        return BER.open(0x30, BER.value(0x06, pkcs7 + [0x02]) + BER.open(0xA0, BER.open(0x30, signedData)))
    }
}

/// Verifiers that trust the roots of the good receipts among the vectors, and what those receipts say.
private struct AppReceiptBench {
    static let made = Result { try AppReceiptBench() }

    private let cached: AppReceiptVerifier
    private let uncached: AppReceiptVerifier
    private let trusting: AppReceiptVerifier
    /// All that anybody has signed with a key that leads to these roots.
    private let signed: Set<AppReceipt>

    private init() throws {
        let rows = VectorRows.of("pkcs7_receipt").filter { $0.text("expect") == "OK" }
        let anchors = try StoreClaims.anchors(of: rows.map { $0.bytes("trusted_root_der_b64") })
        self.cached = AppReceiptVerifier(anchors: anchors)
        self.uncached = AppReceiptVerifier(anchors: anchors, cachesLeafKeys: false)
        self.trusting = AppReceiptVerifier(anchors: TrustAnchors([]))
        let receipts = rows.compactMap { $0.bytes("receipt_b64") }
        self.signed = Set(try receipts.map { try AppReceipt(unverified: $0) })
        try claim("there are good receipts among the vectors", receipts.count == 7)
        for receipt in receipts { _ = try self.cached.receipt(receipt, now: StoreClaims.now) }
        try claim("their keys are kept", self.cached.cachedKeyCount > 0)
    }

    func check(_ bytes: [UInt8]) throws {
        let receipt: AppReceipt
        do throws(AppReceiptFault) {
            receipt = try self.cached.receipt(bytes, now: StoreClaims.now)
        } catch {
            return try StoreClaims.check(error)
        }
        try claim("what verifies has been signed", self.signed.contains(receipt))
        try claim(
            "it verifies again, with a key that is known by now",
            (try? self.cached.receipt(bytes, now: StoreClaims.now)) == receipt
        )
        if let again = try? self.uncached.receipt(bytes, now: StoreClaims.now) {
            try claim("without the cache it says the same", again == receipt)
        }
        try claim(
            "nobody is trusted by himself",
            (try? self.trusting.receipt(bytes, now: StoreClaims.now)) == nil
        )
        try self.checkDamage(to: bytes)
    }

    /// One bit of the signature and one of what is signed: which ones, the input decides.
    private func checkDamage(to bytes: [UInt8]) throws {
        let container = try SignedDataContainer(bytes)
        let choice = Int(Digest.sha256(bytes).prefix(4).reduce(0) { $0 << 8 | UInt32($1) })
        for part in [container.signer?.signature ?? [], Array(container.content)] {
            guard !part.isEmpty, let range = bytes.firstRange(of: part) else { continue }
            var damaged = bytes
            damaged[range.lowerBound + choice % part.count] ^= 1 << UInt8(choice % 7)
            try claim(
                "what is damaged does not verify",
                (try? self.cached.receipt(damaged, now: StoreClaims.now)) == nil
            )
        }
    }
}
