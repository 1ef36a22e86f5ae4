import Cryptography

@testable import WireFormats

extension FuzzTarget {
    /// A JWS as a client sends it.
    static let signedData = FuzzTarget(
        "signed-data",
        longestInput: 5_120,
        words: ["..", "eyJhbGciOiJFUzI1NiIsIng1YyI6W", "e30", "bnVsbA", "AA"],
        seeds: { VectorRows.of("jws_x5c").map { Array(($0.text("jws") ?? "").utf8) } }
    ) { input in
        try SignedDataBench.made.get().check(input)
    }

    /// Header, payload and signature of one, each as it is before it is written in base64: a line, a line, the rest.
    static let signedDataParts = FuzzTarget(
        "signed-data-parts",
        longestInput: 4_096,
        words: [
            "{\"alg\":\"ES256\",\"x5c\":[\"", "\"crit\":[]", "\"signedDate\":", "1685620800000.5",
            "\"receiptCreationDate\":\"1\"", "{}\n{}\n",
        ],
        seeds: { VectorRows.of("jws_x5c").compactMap { SignedDataBench.parts(of: $0.text("jws") ?? "") } }
    ) { input in
        var reader = InputReader(input)
        let parts = [reader.line(), reader.line(), reader.remainder()].map { Base64URL.encode($0) }
        let text = Array(parts.joined(separator: ".".utf8))
        try SignedDataBench.made.get().check(text)
        let jws = try CompactJWS(text)
        try claim(
            "what was written is read as the same",
            [jws.header, jws.payload, jws.signature].map { Array($0) } == parts
        )
    }
}

/// Verifiers that trust the roots of the good rows of the vectors, and what those rows say.
private struct SignedDataBench {
    static let made = Result { try SignedDataBench() }

    private let cached: SignedDataVerifier
    private let uncached: SignedDataVerifier
    private let trusting: SignedDataVerifier
    /// All that anybody has signed with a key that leads to these roots.
    private let signed: Set<[UInt8]>

    private init() throws {
        let rows = VectorRows.of("jws_x5c").filter {
            ["OK", "INVALID_ENVIRONMENT"].contains($0.text("expect") ?? "")
        }
        let anchors = try StoreClaims.anchors(of: rows.map { $0.bytes("trusted_root_der_b64") })
        self.cached = SignedDataVerifier(anchors: anchors)
        self.uncached = SignedDataVerifier(anchors: anchors, cachesLeafKeys: false)
        self.trusting = SignedDataVerifier(anchors: TrustAnchors([]))
        let texts = rows.map { Array(($0.text("jws") ?? "").utf8) }
        let verifier = self.cached
        self.signed = Set(try texts.map { try verifier.payload($0, now: StoreClaims.now) })
        try claim("there is good signed data among the vectors", self.signed.count == 5)
        try claim("its keys are kept", self.cached.cachedKeyCount > 0)
    }

    /// Nil for a row that is no JWS of three parts, or whose first two parts would not keep to their lines.
    static func parts(of text: String) -> [UInt8]? {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            .compactMap { Base64URL.decode(Array($0)) }
        guard parts.count == 3, !parts[0].contains(0x0A), !parts[1].contains(0x0A) else { return nil }
        return Array(parts.joined(separator: [0x0A]))
    }

    func check(_ text: [UInt8]) throws {
        _ = ReceiptInput.signed(text).transactionID
        let payload: [UInt8]
        do throws(SignedDataFault) {
            payload = try self.cached.payload(text, now: StoreClaims.now)
        } catch {
            return try StoreClaims.check(error)
        }
        try claim("what verifies has been signed", self.signed.contains(payload))
        let again = [self.cached, self.uncached].map { try? $0.payload(text, now: StoreClaims.now) }
        try claim("it verifies again, with a known key and without", again == [payload, payload])
        try claim(
            "nobody is trusted by himself",
            (try? self.trusting.payload(text, now: StoreClaims.now)) == nil
        )
        let transaction = try self.cached.transaction(
            text,
            bundleID: nil,
            environment: nil,
            now: StoreClaims.now
        )
        try StoreClaims.check(StorePurchases(transaction))
        try self.checkDamage(to: text)
    }

    /// One bit of the signature and one of what is signed: which ones, the input decides.
    private func checkDamage(to text: [UInt8]) throws {
        let jws = try CompactJWS(text)
        let choice = Int(Digest.sha256(text).prefix(4).reduce(0) { $0 << 8 | UInt32($1) })
        for part in [jws.signature, jws.payload, jws.header] {
            var damaged = text
            damaged[part.startIndex + choice % part.count] ^= 1 << UInt8(choice % 7)
            try claim(
                "what is damaged does not verify",
                (try? self.cached.payload(damaged, now: StoreClaims.now)) == nil
            )
        }
    }
}
