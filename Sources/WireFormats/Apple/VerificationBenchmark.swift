package import Cryptography

/// What it costs to verify Apple's signatures, beside what OpenSSL alone takes for them.
///
/// There are two measures. The bare signatures are what the mathematics takes, with keys and certificates that are
/// parsed already; the bare library does all that OpenSSL has to do from the same bytes. Where the cache knows the
/// leaf, one signature is all there is, and the two are the same.
package struct VerificationBenchmark {
    package enum Name: String, CaseIterable, Sendable {
        case signedTransaction = "JWS"
        case appReceipt = "PKCS#7"
    }

    /// One way to verify, again and again; false if it failed, which ends a measurement.
    package typealias Way = () -> Bool

    package let name: Name
    package let cached: Way
    package let uncached: Way
    /// One signature, by the leaf's key.
    package let bareMessage: Way
    /// As many as a chain and a message have.
    package let bareSignatures: Way
    /// Parsing, chain and signatures, by OpenSSL's calls alone.
    package let bareLibrary: Way

    /// A transaction that verifies with these anchors. `now` is in milliseconds since 1970.
    package init(
        signedTransaction text: [UInt8],
        _ anchors: TrustAnchors,
        now: Int64
    ) throws(SignedDataFault) {
        let cached = SignedDataVerifier(anchors: anchors)
        let uncached = SignedDataVerifier(anchors: anchors, cachesLeafKeys: false)
        func verifies(_ verifier: SignedDataVerifier) -> Bool {
            (try? verifier.transaction(text, bundleID: nil, environment: nil, now: now)) != nil
        }

        let (jws, chain, time) = try uncached.parts(text, now: now)
        guard let signature = Base64URL.decode(jws.signature),
            let bare = BareVerification(chain, message: Array(jws.signed), signature: signature, .sha256)
        else { throw SignedDataFault("jws.signature", "The signature is not that of the certificate.") }
        self.name = .signedTransaction
        self.cached = { verifies(cached) }
        self.uncached = { verifies(uncached) }
        self.bareMessage = { bare.verifiesMessage() }
        self.bareSignatures = { bare.verifiesSignatures() }
        self.bareLibrary = { bare.verifiesFromBytes(anchors, at: time) }
    }

    /// A receipt that verifies with these anchors, of the plain kind that Apple signs.
    package init(appReceipt bytes: [UInt8], _ anchors: TrustAnchors, now: Int64) throws(AppReceiptFault) {
        let cached = AppReceiptVerifier(anchors: anchors)
        let uncached = AppReceiptVerifier(anchors: anchors, cachesLeafKeys: false)
        func verifies(_ verifier: AppReceiptVerifier) -> Bool {
            (try? verifier.receipt(bytes, now: now)) != nil
        }

        let (container, chain, time) = try uncached.parts(bytes)
        guard let signer = container.signer,
            let bare = BareVerification(
                chain,
                message: Array(container.content),
                signature: signer.signature,
                signer.digest
            )
        else { throw .rejected("receipt.signer", "The receipt is not signed in the plain way.") }
        self.name = .appReceipt
        self.cached = { verifies(cached) }
        self.uncached = { verifies(uncached) }
        self.bareMessage = { bare.verifiesMessage() }
        self.bareSignatures = { bare.verifiesSignatures() }
        self.bareLibrary = { BareVerification.verifiesContainer(bytes, anchors, at: time) }
    }
}
