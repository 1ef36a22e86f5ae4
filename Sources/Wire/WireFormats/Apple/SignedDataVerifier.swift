package import Cryptography

/// Verifies Apple's JWS: transactions, renewals, app transactions and notifications of StoreKit 2 and of the
/// App Store Server API.
///
/// The steps are those of Apple's App Store Server Library without its online check. The header has three
/// certificates (`x5c`). The first two must lead to a configured anchor (Apple Root CA - G3) at the time of
/// the signature, and must have Apple's marker extensions. The signature must be by the first certificate.
/// The third certificate is never trusted; in Apple's own test data it is not even the anchor.
///
/// A verified value does not prove that a purchase still stands, only that Apple stated it at the time of the
/// signature.
package struct SignedDataVerifier: Sendable {
    private let anchors: TrustAnchors
    private let cache: LeafKeyCache?
    private let intermediates = IntermediateStore()

    /// Verifies against these anchors. The cache saves the two signatures of the chain if the leaf was seen
    /// in the last 15 minutes.
    package init(anchors: TrustAnchors, cachesLeafKeys: Bool = true) {
        self.anchors = anchors
        self.cache = cachesLeafKeys ? LeafKeyCache() : nil
    }

    /// The number of leaf keys in the cache.
    package var cachedKeyCount: Int { self.cache?.count ?? 0 }

    /// Returns the transaction in a `signedTransactionInfo`.
    ///
    /// Apple omits the bundle id now and then, which its own libraries refuse
    /// (app-store-server-library-python#113, -node#217, -swift#71). If `bundleID` is given, such a
    /// transaction counts as one of that app. Pass it only for answers to a token of that app.
    ///
    /// - Parameters:
    ///   - bundleID: the app that the transaction has to be of; nil accepts any.
    ///   - environment: the environment that the transaction has to be of; nil accepts any.
    ///   - now: milliseconds since 1970.
    package func transaction(
        _ text: [UInt8],
        bundleID: String?,
        environment: StoreEnvironment?,
        now: Int64
    ) throws(SignedDataFault) -> StoreTransaction {
        var transaction = StoreTransaction(try self.object(text, now: now))
        transaction.bundleID = transaction.bundleID ?? bundleID
        guard bundleID == nil || transaction.bundleID == bundleID else {
            throw SignedDataFault(
                .invalidAppIdentifier,
                "jws.bundle_id",
                message: "The transaction belongs to another app."
            )
        }
        try Self.check(transaction.environment, is: environment)
        return transaction
    }

    /// Returns the renewal in a `signedRenewalInfo`, which names no app. The parameters are those of
    /// `transaction`.
    package func renewal(
        _ text: [UInt8],
        environment: StoreEnvironment?,
        now: Int64
    ) throws(SignedDataFault) -> StoreRenewal {
        let renewal = StoreRenewal(try self.object(text, now: now))
        try Self.check(renewal.environment, is: environment)
        return renewal
    }

    /// Returns the payload of anything that Apple signs in this way, as JSON.
    package func payload(_ text: [UInt8], now: Int64) throws(SignedDataFault) -> [UInt8] {
        let jws = try CompactJWS(text)
        _ = try self.verified(jws, now: now)
        guard let payload = Base64URL.decode(jws.payload.span) else {
            throw SignedDataFault("jws.malformed", "The payload of the signed data is not base64url.")
        }
        return payload
    }

    private func object(_ text: [UInt8], now: Int64) throws(SignedDataFault) -> JSONObject {
        try self.verified(try CompactJWS(text), now: now)
    }

    /// Returns the time of the signature in seconds. An app transaction has no `signedDate`, so its creation
    /// date is taken. A payload without both is judged as of now, as in Apple's library.
    private static func time(of payload: JSONObject, now: Int64) -> Int64 {
        (payload.number("signedDate") ?? payload.number("receiptCreationDate") ?? now).secondsRoundedDown
    }

    private func verified(_ jws: CompactJWS, now: Int64) throws(SignedDataFault) -> JSONObject {
        let payload = try CompactJWS.object(jws.payload, "payload")
        let time = Self.time(of: payload, now: now)
        guard let cache = self.cache else {
            try Self.check(jws, signedBy: try self.leaf(of: jws, at: time).key)
            return payload
        }
        // The key of the cache is the header as it was sent, which includes the certificates. Equal texts
        // cannot decode to different headers.
        if let key = cache.key(jws.header, validAt: time, now: now) {
            try Self.check(jws, signedBy: key)
        } else {
            let leaf = try self.leaf(of: jws, at: time)
            try Self.check(jws, signedBy: leaf.key)
            cache.keep(leaf.key, under: jws.header, validIn: leaf.chain.validity, now: now)
        }
        return payload
    }

    private static func check(_ jws: CompactJWS, signedBy key: PublicKey) throws(SignedDataFault) {
        guard let signature = Base64URL.decode(jws.signature.span),
            key.verifiesES256(signature, over: jws.signed.span)
        else { throw SignedDataFault("jws.signature", "The signature is not that of the certificate.") }
    }

    private static func check(
        _ environment: StoreEnvironment?,
        is expected: StoreEnvironment?
    ) throws(SignedDataFault) {
        guard expected == nil || environment == expected else {
            throw SignedDataFault(
                .invalidEnvironment,
                "jws.environment",
                message: "The signed data comes from another environment."
            )
        }
    }

    /// Returns the leaf's key after the chain of the header's certificates was verified.
    private func leaf(
        of jws: CompactJWS,
        at time: Int64
    ) throws(SignedDataFault) -> (key: PublicKey, chain: CertificateChain) {
        let texts = try Self.certificates(in: try CompactJWS.object(jws.header, "header"))
        let leaf = try Self.certificate(texts.leaf)
        let known = self.intermediates[texts.intermediate]
        let intermediate = if let known { known } else { try Self.certificate(texts.intermediate) }
        let chain: CertificateChain
        do throws(CertificateChain.Fault) {
            chain = try self.anchors.chain(from: leaf, through: [intermediate], at: time, .current)
        } catch {
            throw Self.fault(error)
        }
        guard AppleMarker.areOn(chain) else {
            throw SignedDataFault("jws.markers", "The certificates lack Apple's marker extensions.")
        }
        guard let key = leaf.publicKey, key.kind == .p256 else {
            throw SignedDataFault("jws.key", "The certificate's key is not one for ES256.")
        }
        self.intermediates.keep(intermediate, under: texts.intermediate)
        return (key, chain)
    }

    /// Returns the first two certificates of `x5c`. The third one only has to be there.
    private static func certificates(
        in header: JSONObject
    ) throws(SignedDataFault) -> (leaf: String, intermediate: String) {
        guard header.string("alg")?.isExactly("ES256") == true else {
            throw SignedDataFault("jws.algorithm", "The algorithm of the signed data is not ES256.")
        }
        // A critical header parameter must be understood (RFC 7515, section 4.1.11), and none is supported
        // here.
        guard header.value("crit") == nil else {
            throw SignedDataFault("jws.critical", "The signed data has critical extensions.")
        }
        guard let x5c = header.strings("x5c"), !x5c.isEmpty else {
            throw SignedDataFault("jws.no_certificates", "The signed data comes without certificates.")
        }
        guard x5c.count == 3 else {
            throw SignedDataFault(
                .invalidChainLength,
                "jws.chain_length",
                message: "The signed data comes with \(x5c.count) certificates instead of three."
            )
        }
        return (x5c[0], x5c[1])
    }

    private static func certificate(_ text: String) throws(SignedDataFault) -> Certificate {
        guard let der = Base64.decode(text.utf8), let certificate = Certificate(der: der) else {
            throw SignedDataFault(
                .invalidCertificate,
                "jws.certificate",
                message: "A certificate of the signed data cannot be read."
            )
        }
        return certificate
    }

    private static func fault(_ fault: CertificateChain.Fault) -> SignedDataFault {
        switch fault {
        case .outsideValidity:
            SignedDataFault("jws.outside_validity", "A certificate was not valid when this was signed.")
        case .untrusted:
            SignedDataFault("jws.untrusted", "The certificates do not lead to a configured anchor.")
        case .invalid(let words):
            SignedDataFault("jws.chain", "The certificates do not form a chain: \(words).")
        }
    }
}

extension Int64 {
    /// The whole seconds in so many milliseconds, rounded down.
    var secondsRoundedDown: Int64 { self >= 0 ? self / 1_000 : (self + 1) / 1_000 - 1 }
}
