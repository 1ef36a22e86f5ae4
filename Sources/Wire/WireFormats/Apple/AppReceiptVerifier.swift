package import Cryptography

/// Verifies app receipts (iOS 7 and later) without a call to Apple.
///
/// The receipt must contain the signer's certificate with Apple's marker extension. That certificate must
/// lead through one intermediate with its own marker to a configured anchor (Apple Root CA, the one with an
/// RSA key). All certificates must have been valid when the receipt was created; as of today, every older
/// receipt would fail. SHA-1 is accepted, because Apple signed receipts with it until 2023, some until 2025.
///
/// A good receipt states facts as of its creation. Later refunds and renewals are known only to Apple.
package struct AppReceiptVerifier: Sendable {
    private let anchors: TrustAnchors
    private let cache: LeafKeyCache?

    /// Verifies against these anchors. The cache saves the two signatures of the chain if the leaf was seen
    /// in the last 15 minutes.
    package init(anchors: TrustAnchors, cachesLeafKeys: Bool = true) {
        self.anchors = anchors
        self.cache = cachesLeafKeys ? LeafKeyCache() : nil
    }

    /// The number of leaf keys in the cache.
    package var cachedKeyCount: Int { self.cache?.count ?? 0 }

    /// Returns the content of a receipt that Apple signed.
    ///
    /// - Parameters:
    ///   - bytes: the PKCS#7 container in DER or BER.
    ///   - now: milliseconds since 1970, for the cache's entries.
    package func receipt(_ bytes: [UInt8], now: Int64) throws(AppReceiptFault) -> AppReceipt {
        let container = try AppReceipt.container(bytes)
        let receipt = try AppReceipt(container.content)
        let time = try Self.time(of: receipt)
        guard let cache = self.cache, let signer = container.signer else {
            _ = try self.verified(bytes, container, at: time)
            return receipt
        }
        if let key = cache.key(signer.origin, validAt: time, now: now),
            key.verifiesRSA(signer.signature, over: container.content.span, signer.digest)
        {
            return receipt
        }
        let chain = try self.verified(bytes, container, at: time)
        if let key = chain.certificates.first?.publicKey {
            cache.keep(key, under: signer.origin, validIn: chain.validity, now: now)
        }
        return receipt
    }

    /// Returns when the receipt was created, in seconds since 1970.
    private static func time(of receipt: AppReceipt) throws(AppReceiptFault) -> Int64 {
        guard let createdAt = receipt.createdAt else {
            throw .malformed("receipt.creation_date", "The receipt does not say when it was created.")
        }
        return createdAt.secondsRoundedDown
    }

    /// Verifies the whole chain and the signature with OpenSSL, which parses the container again.
    private func verified(
        _ bytes: [UInt8],
        _ container: SignedDataContainer,
        at time: Int64
    ) throws(AppReceiptFault) -> CertificateChain {
        guard let message = SignedMessage(bytes) else {
            throw .malformed("receipt.container", "The receipt is not signed data in PKCS#7.")
        }
        let verified: SignedMessage.Verified
        do throws(SignedMessage.Fault) {
            verified = try message.verified(against: self.anchors, at: time, .any)
        } catch {
            throw Self.fault(error)
        }
        guard AppleMarker.areOn(verified.chain) else {
            throw .rejected("receipt.markers", "The receipt's certificates lack Apple's marker extensions.")
        }
        // Two parsers read the same file, so the content that was verified is compared with the content that
        // was read.
        guard verified.content[...] == container.content else {
            throw .malformed("receipt.container", "The receipt is not signed data in PKCS#7.")
        }
        return verified.chain
    }

    private static func fault(_ fault: SignedMessage.Fault) -> AppReceiptFault {
        switch fault {
        case .signer:
            .rejected("receipt.signer", "The receipt does not have one signer with a certificate.")
        case .chain(.outsideValidity):
            .rejected(
                "receipt.outside_validity",
                "A certificate was not valid when the receipt was created."
            )
        case .chain(.untrusted):
            .rejected(
                "receipt.untrusted",
                "The receipt's certificates do not lead to a configured anchor."
            )
        case .chain(.invalid(let words)):
            .rejected("receipt.chain", "The receipt's certificates do not form a chain: \(words).")
        case .signature:
            .rejected("receipt.signature", "The receipt's signature is not that of its content.")
        }
    }
}
