package import Cryptography
import Foundation
import Terminal
import WireFormats

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

    /// The format that is verified.
    package let name: Name
    /// The verifier with its cache of leaf keys.
    package let cached: WayTimer.Way
    /// The verifier without a cache.
    package let uncached: WayTimer.Way
    /// The one signature by the leaf's key.
    package let bareMessage: WayTimer.Way
    /// All signatures of a chain and a message.
    package let bareSignatures: WayTimer.Way
    /// Parsing, chain and signatures, by OpenSSL's functions alone.
    package let bareLibrary: WayTimer.Way

    /// Prepares the benchmark of a signed transaction, which must be valid for these anchors. `now` is in
    /// milliseconds since 1970.
    ///
    /// - Throws: `Complaint` if it is not.
    package init(signedTransaction text: [UInt8], _ anchors: TrustAnchors, now: Int64) throws {
        let cached = SignedDataVerifier(anchors: anchors)
        let uncached = SignedDataVerifier(anchors: anchors, cachesLeafKeys: false)
        func verifies(_ verifier: SignedDataVerifier) -> Bool {
            (try? verifier.transaction(text, bundleID: nil, environment: nil, now: now)) != nil
        }

        let token = try SplitToken(text)
        let chain = try anchors.chain(
            from: token.leaf,
            through: [token.intermediate],
            at: token.time,
            .current
        )
        guard let bareAnchors = BareAnchors(anchors.certificates.map(\.der)),
            let bare = BareVerification(
                chain.certificates.map(\.der),
                message: token.signed,
                es256: token.signature
            )
        else { throw Complaint("the signature is not that of the certificate") }
        self.name = .signedTransaction
        self.cached = { verifies(cached) }
        self.uncached = { verifies(uncached) }
        self.bareMessage = { bare.verifiesMessage() }
        self.bareSignatures = { bare.verifiesSignatures() }
        self.bareLibrary = { bare.verifiesFromBytes(bareAnchors, at: token.time) }
    }

    /// Prepares the benchmark of an app receipt, which must be valid for these anchors and have the plain
    /// signature that Apple uses. `now` is in milliseconds since 1970.
    ///
    /// - Throws: `Complaint` if it has not.
    package init(appReceipt bytes: [UInt8], _ anchors: TrustAnchors, now: Int64) throws {
        let cached = AppReceiptVerifier(anchors: anchors)
        let uncached = AppReceiptVerifier(anchors: anchors, cachesLeafKeys: false)
        func verifies(_ verifier: AppReceiptVerifier) -> Bool {
            (try? verifier.receipt(bytes, now: now)) != nil
        }

        guard let createdAt = try AppReceipt(unverified: bytes).createdAt, let message = SignedMessage(bytes)
        else { throw Complaint("the receipt does not say when it was created") }
        let time = createdAt / 1_000
        let chain = try message.verified(against: anchors, at: time, .any).chain
        guard let bareAnchors = BareAnchors(anchors.certificates.map(\.der)),
            let bare = BareVerification(chain.certificates.map(\.der), container: bytes)
        else { throw Complaint("the receipt is not signed in the plain way") }
        self.name = .appReceipt
        self.cached = { verifies(cached) }
        self.uncached = { verifies(uncached) }
        self.bareMessage = { bare.verifiesMessage() }
        self.bareSignatures = { bare.verifiesSignatures() }
        self.bareLibrary = { BareVerification.verifiesContainer(bytes, bareAnchors, at: time) }
    }
}

/// The parts of a signed transaction, a JWS with Apple's certificates in its header.
private struct SplitToken {
    let signed: [UInt8]
    let signature: [UInt8]
    let leaf: Certificate
    let intermediate: Certificate
    /// The time of the signature in seconds since 1970.
    let time: Int64

    private struct Header: Decodable {
        var x5c: [String]
    }

    private struct Payload: Decodable {
        /// Milliseconds since 1970.
        var signedDate: Double
    }

    init(_ text: [UInt8]) throws {
        let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            .map { Base64URL.decode($0) }
        guard parts.count == 3, let header = parts[0], let payload = parts[1], let signature = parts[2],
            let end = text.lastIndex(of: UInt8(ascii: "."))
        else { throw Complaint("the transaction is not a JWS") }
        let certificates = try JSONDecoder().decode(Header.self, from: Data(header)).x5c
            .compactMap { Base64.decode($0.utf8) }.compactMap { Certificate(der: $0) }
        guard certificates.count >= 2 else { throw Complaint("the transaction has no chain of certificates") }
        self.signed = Array(text[..<end])
        self.signature = signature
        self.leaf = certificates[0]
        self.intermediate = certificates[1]
        self.time = Int64(try JSONDecoder().decode(Payload.self, from: Data(payload)).signedDate / 1_000)
    }
}
