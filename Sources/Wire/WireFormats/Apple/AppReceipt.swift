import Cryptography

/// The content of an app receipt (iOS 7 and later), whether or not its signature was verified.
///
/// Times are milliseconds since 1970. Apple's "Receipt Fields" documents most attribute types. `receiptType`,
/// `appItemID`, `originallyPurchasedAt` and two attributes of a purchase are undocumented; they are nil if
/// they are not as in the receipts seen so far.
package struct AppReceipt: Hashable, Sendable {
    /// Attribute 0, such as `Production` or `ProductionSandbox`.
    package var receiptType: String?
    /// The environment that `receiptType` names.
    package var environment: StoreEnvironment?
    /// The app's numeric id, attribute 1.
    package var appItemID: String?
    /// The app's bundle id.
    package var bundleID: String?
    /// The version of the app that created the receipt, attribute 3.
    package var applicationVersion: String?
    /// The version of the app at its first purchase, attribute 19.
    package var originalApplicationVersion: String?
    /// When Apple created the receipt; certificates are judged as of this time.
    package var createdAt: Int64?
    /// The time of the app's first purchase, attribute 18.
    package var originallyPurchasedAt: Int64?
    /// When the receipt expires; only set for volume purchases.
    package var expiresAt: Int64?
    /// The purchases in the receipt's order, which has no meaning. Empty in a good receipt if nothing was
    /// bought.
    package var purchases: [StoreTransaction] = []

    /// The value that binds the receipt to a device: the receipt's hash covers the device's id, this value,
    /// and the encoded bundle id.
    private var opaqueValue: [UInt8] = []
    private var encodedBundleID: [UInt8] = []
    private var deviceHash: [UInt8] = []

    /// The most bytes of a receipt. A receipt with thousands of purchases has a few megabytes.
    package static let bytesLimit = 4 << 20
    /// The most purchases of a receipt.
    package static let purchasesLimit = 10_000

    /// Reads a receipt without verifying it.
    ///
    /// - Parameter bytes: the PKCS#7 container in DER or BER.
    /// - Throws: `AppReceiptFault` of the kind `malformed`.
    package init(unverified bytes: [UInt8]) throws(AppReceiptFault) {
        try self.init(try Self.container(bytes).content)
    }

    /// Reads the attributes inside the container.
    init(_ content: ArraySlice<UInt8>) throws(AppReceiptFault) {
        do throws(ASN1Reader.Fault) {
            try self.read(content)
        } catch {
            throw .malformed("receipt.attributes", "The attributes of the receipt cannot be read.")
        }
        guard self.purchases.count <= Self.purchasesLimit else {
            throw .malformed(
                "receipt.too_many_purchases",
                "The receipt has more than \(Self.purchasesLimit) purchases."
            )
        }
        for index in self.purchases.indices {
            self.purchases[index].bundleID = self.bundleID
            self.purchases[index].environment = self.environment
            self.purchases[index].signedAt = self.createdAt
        }
    }

    /// Reads all attributes; stops once there are too many purchases.
    private mutating func read(_ content: ArraySlice<UInt8>) throws(ASN1Reader.Fault) {
        let bytes = content.span
        try ReceiptAttributes.read(bytes.indices, in: bytes) { attributes, bytes throws(ASN1Reader.Fault) in
            while let attribute = try attributes.next(in: bytes) {
                try self.take(attribute, in: bytes)
                guard self.purchases.count <= Self.purchasesLimit else { return }
            }
        }
    }

    private mutating func take(
        _ attribute: ReceiptAttributes.Attribute,
        in bytes: Span<UInt8>
    ) throws(ASN1Reader.Fault) {
        switch attribute.type {
        case 0:
            self.receiptType = try? attribute.text(in: bytes)
            self.environment = self.receiptType.map { StoreEnvironment(receiptType: $0) }
        case 1: self.appItemID = (try? attribute.integer(in: bytes)).map { String($0) }
        case 2:
            self.bundleID = try attribute.text(in: bytes)
            self.encodedBundleID = attribute.encoded(in: bytes)
        case 3: self.applicationVersion = try attribute.text(in: bytes)
        case 4: self.opaqueValue = attribute.encoded(in: bytes)
        case 5: self.deviceHash = attribute.encoded(in: bytes)
        case 12: self.createdAt = try attribute.time(in: bytes)
        case 17: self.purchases.append(try attribute.attributes(in: bytes, StoreTransaction.init))
        case 18: self.originallyPurchasedAt = try? attribute.time(in: bytes)
        case 19: self.originalApplicationVersion = try attribute.text(in: bytes)
        case 21: self.expiresAt = try attribute.time(in: bytes)
        default: break
        }
    }

    /// Returns whether the receipt was made for a device, given the bytes of its `identifierForVendor`. Only
    /// the client knows these bytes, so a server can check this only if the client sends them.
    package func isBound(to deviceID: [UInt8]) -> Bool {
        Digest.sha1(deviceID + self.opaqueValue + self.encodedBundleID) == self.deviceHash
    }

    /// Opens the PKCS#7 container of a receipt.
    static func container(_ bytes: [UInt8]) throws(AppReceiptFault) -> SignedDataContainer {
        guard bytes.count <= self.bytesLimit else {
            throw .malformed("receipt.too_large", "The receipt has more than \(self.bytesLimit) bytes.")
        }
        do throws(ASN1Reader.Fault) {
            return try SignedDataContainer(bytes)
        } catch {
            throw .malformed("receipt.container", "The receipt is not signed data in PKCS#7.")
        }
    }
}
