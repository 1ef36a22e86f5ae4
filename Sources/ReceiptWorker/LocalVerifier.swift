package import Cryptography
import WireFormats

/// What can be told of a receipt without asking anybody. It goes before every question to Apple: what is malformed, or
/// of another app, is refused here and costs no call. Asked about a receipt of another app, Apple would say that our
/// shared secret is wrong.
package struct LocalVerifier: Sendable {
    /// The certificates to trust, each kind for itself; nil where none are configured.
    package struct Anchors: Sendable {
        package var appReceipts: TrustAnchors?
        package var signedData: TrustAnchors?
        package var transactionReceipts: TrustAnchors?

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

    enum Finding: Hashable, Sendable {
        /// With the environment that it is likely to be of, whom nobody need believe.
        case readable(StorePurchases, Credibility, StoreEnvironment?)
        case refused(ReceiptVerdict, Reason)
    }

    /// What a receipt's word is worth.
    enum Credibility: Hashable, Sendable {
        case verified
        /// The signature is Apple's, and of a kind that is too weak to grant anything by itself.
        case weaklySigned
        /// Nothing here can tell; Apple can.
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

    /// `now` is in milliseconds since 1970.
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

    /// A bad signature is a no; a good one no yes. It is of RSA with 1024 bits and SHA-1 under a certificate that expired
    /// in 2014, and covers neither the environment nor what came later: only Apple can tell.
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

    /// Whether a receipt of this form has to be verified here before it may show that a purchase is its sender's. A
    /// receipt of iOS 6, which anybody can write, must be no way around the roots of app receipts.
    func demandsProof(of form: ReceiptForm) -> Bool {
        switch form {
        case .app: self.appReceipts != nil
        case .transaction: self.appReceipts != nil || self.transactionReceipts != nil
        case .signed: true
        }
    }

    private func signedTransaction(_ text: [UInt8], _ now: Int64) -> Finding {
        guard let verifier = self.signedData else { return .refused(.unavailable, .noAnchor) }
        do throws(SignedDataFault) {
            let transaction = try verifier.transaction(text, bundleID: nil, environment: nil, now: now)
            return .readable(StorePurchases(transaction), .verified, transaction.environment)
        } catch {
            return .refused(.invalid, error.reason)
        }
    }

    /// What Apple's own answers are verified with; nil without anchors, and then nothing of them is believed.
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
