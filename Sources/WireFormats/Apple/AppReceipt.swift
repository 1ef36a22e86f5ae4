import Cryptography

/// What an app receipt (iOS 7 and later) says, whether or not it is to be believed.
///
/// Times are milliseconds since 1970. Which attribute says what is in Apple's "Receipt Fields" for the documented
/// types; `receiptType`, `appItemID`, `originallyPurchasedAt` and two of a purchase are not documented, and nil
/// if they are not what receipts have shown so far.
package struct AppReceipt: Hashable, Sendable {
    package var receiptType: String?
    package var environment: StoreEnvironment?
    package var appItemID: String?
    package var bundleID: String?
    package var applicationVersion: String?
    package var originalApplicationVersion: String?
    package var createdAt: Int64?
    package var originallyPurchasedAt: Int64?
    /// Only for purchases by volume.
    package var expiresAt: Int64?
    /// In the receipt's order, which means nothing. Empty in a good receipt if nothing was bought.
    package var purchases: [StoreTransaction] = []

    /// What the receipt binds to a device: its hash is over the device's id, this value, and the bundle id as encoded.
    private var opaqueValue: [UInt8] = []
    private var encodedBundleID: [UInt8] = []
    private var deviceHash: [UInt8] = []

    /// A receipt with thousands of purchases has a few megabytes.
    package static let bytesLimit = 4 << 20
    package static let purchasesLimit = 10_000

    /// Reads a receipt without believing it. `bytes` are the PKCS#7 container in DER or BER.
    package init(unverified bytes: [UInt8]) throws(AppReceiptFault) {
        try self.init(try Self.container(bytes).content)
    }

    /// Of the attributes inside the container.
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

    /// Stops once there are too many purchases.
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

    /// Whether the receipt was made for a device, by the bytes of its `identifierForVendor`: only the client can
    /// tell them, so a server that was not told cannot ask.
    package func isBound(to deviceID: [UInt8]) -> Bool {
        Digest.sha1(deviceID + self.opaqueValue + self.encodedBundleID) == self.deviceHash
    }

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
