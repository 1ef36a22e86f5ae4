package import Cryptography
import WireFormats

/// The local verification of a receipt, without a call to Apple.
///
/// Every receipt is verified locally before Apple is asked. A malformed receipt, or a receipt of another app,
/// is refused here and costs no call. The second check also protects the shared secret: asked about a receipt
/// of another app, Apple would answer that our shared secret is wrong.
package struct LocalVerifier: Sendable {
    /// The trusted certificates of each kind of receipt; nil for a kind without configured certificates.
    package struct Anchors: Sendable {
        /// The roots of app receipts (iOS 7 and later).
        package var appReceipts: TrustAnchors?
        /// The roots of signed data: transactions of StoreKit 2, and Apple's answers to the App Store Server
        /// API.
        package var signedData: TrustAnchors?
        /// The roots of transaction receipts (iOS 6 and earlier), or the certificate that signs them.
        package var transactionReceipts: TrustAnchors?

        /// Creates a set of anchors. A kind that is left out cannot be verified locally.
        package init(
            appReceipts: TrustAnchors? = nil,
            signedData: TrustAnchors? = nil,
            transactionReceipts: TrustAnchors? = nil
        ) {
            self.appReceipts = appReceipts
            self.signedData = signedData
            self.transactionReceipts = transactionReceipts
        }
    }

    /// The result of the local verification.
    enum Finding: Hashable, Sendable {
        /// The receipt can be read: its purchases, its credibility, and the environment that it names. The
        /// environment is only a hint, because it may be forged.
        case readable(StorePurchases, Credibility, StoreEnvironment?)
        /// The receipt is refused: the verdict for the result, and the reason.
        case refused(ReceiptVerdict, Reason)
    }

    /// The degree to which a receipt is proven to be Apple's.
    enum Credibility: Hashable, Sendable {
        /// Apple's signature was verified.
        case verified
        /// Apple's signature was verified, but its method is too weak to grant a purchase on this evidence
        /// alone.
        case weaklySigned
        /// The signature cannot be verified with the configured certificates. Apple can still confirm the
        /// receipt.
        case unverified(Reason)
    }

    private let appReceipts: AppReceiptVerifier?
    private let signedData: SignedDataVerifier?
    private let transactionReceipts: TransactionReceiptVerifier?

    init(_ anchors: Anchors) {
        self.appReceipts = anchors.appReceipts.map { AppReceiptVerifier(anchors: $0) }
        self.signedData = anchors.signedData.map { SignedDataVerifier(anchors: $0) }
        self.transactionReceipts = anchors.transactionReceipts.map { TransactionReceiptVerifier(anchors: $0) }
    }

    /// Verifies a receipt.
    ///
    /// - Parameters:
    ///   - input: the receipt in one of its forms.
    ///   - now: the wall-clock time in milliseconds since 1970.
    func finding(on input: ReceiptInput, now: Int64) -> Finding {
        do throws(AppReceiptFault) {
            return switch input {
            case .app(let bytes): try self.appReceipt(bytes, now)
            case .transaction(let bytes): try self.transactionReceipt(bytes)
            case .signed(let text): self.signedTransaction(text, now)
            }
        } catch {
            return .refused(.invalid, error.reason)
        }
    }

    private func appReceipt(_ bytes: [UInt8], _ now: Int64) throws(AppReceiptFault) -> Finding {
        guard let verifier = self.appReceipts else {
            let receipt = try AppReceipt(unverified: bytes)
            return .readable(StorePurchases(receipt), .unverified(.noAnchor), receipt.environment)
        }
        let receipt = try verifier.receipt(bytes, now: now)
        return .readable(StorePurchases(receipt), .verified, receipt.environment)
    }

    /// Verifies a receipt of iOS 6 or earlier. A bad signature refutes the receipt, but a good one does not
    /// prove it: the signature uses RSA with 1024 bits and SHA-1 under a certificate that expired in 2014,
    /// and it covers neither the environment nor later events. Only Apple can confirm such a receipt.
    private func transactionReceipt(_ bytes: [UInt8]) throws(AppReceiptFault) -> Finding {
        let receipt = try TransactionReceipt(unverified: bytes)
        var credibility = Credibility.unverified(.noAnchor)
        do throws(AppReceiptFault) {
            if let verifier = self.transactionReceipts {
                _ = try verifier.receipt(bytes)
                credibility = .weaklySigned
            }
        } catch {
            guard error.kind == .unverifiable else { throw error }
            credibility = .unverified(error.reason)
        }
        let environment = receipt.environmentName.map { StoreEnvironment($0) }
        return .readable(StorePurchases(receipt.transaction), credibility, environment)
    }

    /// Returns whether a receipt of this form must be verified locally before it may show that a purchase
    /// belongs to its sender. Anybody can write a receipt of iOS 6; where app receipts are verified, sending
    /// the older form instead must not avoid the verification.
    func demandsProof(of form: ReceiptForm) -> Bool {
        switch form {
        case .app: self.appReceipts != nil
        case .transaction: self.appReceipts != nil || self.transactionReceipts != nil
        case .signed: true
        }
    }

    /// Verifies a signed transaction of StoreKit 2. Without configured roots the verdict is `unavailable`.
    private func signedTransaction(_ text: [UInt8], _ now: Int64) -> Finding {
        guard let verifier = self.signedData else { return .refused(.unavailable, .noAnchor) }
        do throws(SignedDataFault) {
            let transaction = try verifier.transaction(text, bundleID: nil, environment: nil, now: now)
            return .readable(StorePurchases(transaction), .verified, transaction.environment)
        } catch {
            return .refused(.invalid, error.reason)
        }
    }

    /// The verifier of Apple's own answers; nil without configured roots, and then no answer may be used.
    var ofAnswers: SignedDataVerifier? { self.signedData }
}

extension Reason {
    static let weakSignature = Reason(
        "receipt.weak_signature",
        "The signatures of receipts of iOS 6 are too weak to believe: only Apple can tell."
    )
    fileprivate static let noAnchor = Reason(
        "configuration.no_anchor",
        "No certificate of Apple's is configured that such a receipt leads to."
    )
}
