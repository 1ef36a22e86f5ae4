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
        case readable(StorePurchases, Credibility)
        case refused(ReceiptVerdict, Reason)
    }

    /// What a receipt's word is worth.
    enum Credibility: Hashable, Sendable {
        case verified(isExpired: Bool)
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
            return .readable(StorePurchases(try AppReceipt(unverified: bytes)), .unverified(.noAnchor))
        }
        let receipt = try verifier.receipt(bytes, now: now)
        // Purchases by volume have a time that the whole receipt ends at.
        let isExpired = receipt.expiresAt.map { $0 <= now } ?? false
        return .readable(StorePurchases(receipt), .verified(isExpired: isExpired))
    }

    private func transactionReceipt(_ bytes: [UInt8]) throws(AppReceiptFault) -> Finding {
        let unverified = try TransactionReceipt(unverified: bytes)
        guard let verifier = self.transactionReceipts else {
            return .readable(StorePurchases(unverified.transaction), .unverified(.noAnchor))
        }
        do throws(AppReceiptFault) {
            let receipt = try verifier.receipt(bytes)
            return .readable(StorePurchases(receipt.transaction), .verified(isExpired: false))
        } catch {
            guard error.kind == .unverifiable else { throw error }
            return .readable(StorePurchases(unverified.transaction), .unverified(error.reason))
        }
    }

    private func signedTransaction(_ text: [UInt8], _ now: Int64) -> Finding {
        guard let verifier = self.signedData else { return .refused(.unavailable, .noAnchor) }
        do throws(SignedDataFault) {
            let transaction = try verifier.transaction(text, bundleID: nil, environment: nil, now: now)
            return .readable(StorePurchases(transaction), .verified(isExpired: false))
        } catch {
            return .refused(.invalid, error.reason)
        }
    }

    /// What Apple's own answers are verified with; nil without anchors, and then nothing of them is believed.
    var ofAnswers: SignedDataVerifier? { self.signedData }
}

extension Reason {
    fileprivate static let noAnchor = Reason(
        "configuration.no_anchor",
        "No certificate of Apple's is configured that such a receipt leads to."
    )
}
