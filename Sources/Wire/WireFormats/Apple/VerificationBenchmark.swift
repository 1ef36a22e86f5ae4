package import Cryptography

/// The cost of verifying Apple's signatures, compared with OpenSSL alone.
///
/// There are two measures for OpenSSL alone. The bare signatures take only the cryptography, with keys and
/// certificates that are parsed already. The bare library does everything that OpenSSL has to do from the
/// same bytes. If the cache knows the leaf, only one signature remains, and the two measures are equal.
package struct VerificationBenchmark {
    /// The format that is verified.
    package enum Name: String, CaseIterable, Sendable {
        case signedTransaction = "JWS"
        case appReceipt = "PKCS#7"
    }

    /// One way to verify, which is repeated; it returns false if it failed, which ends a measurement.
    package typealias Way = () -> Bool

    /// The format that is verified.
    package let name: Name
    /// The verifier with its cache of leaf keys.
    package let cached: Way
    /// The verifier without a cache.
    package let uncached: Way
    /// The one signature by the leaf's key.
    package let bareMessage: Way
    /// All signatures of a chain and a message.
    package let bareSignatures: Way
    /// Parsing, chain and signatures, by OpenSSL's functions alone.
    package let bareLibrary: Way

    /// Prepares the benchmark of a signed transaction, which must be valid for these anchors. `now` is in
    /// milliseconds since 1970.
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

    /// Prepares the benchmark of an app receipt, which must be valid for these anchors and have the plain
    /// signature that Apple uses. `now` is in milliseconds since 1970.
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
