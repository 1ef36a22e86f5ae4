import Cryptography
import TestMaterial
import Testing

@testable import WireFormats

@Suite struct AppReceiptTests {
    @Test func hasAllVectors() {
        #expect(ReceiptVector.all.count == 14)
    }

    @Test(arguments: ReceiptVector.all, [true, false])
    func saysWhatTheVectorSays(vector: ReceiptVector, cachesLeafKeys: Bool) throws {
        let verifier = try vector.verifier(cachesLeafKeys: cachesLeafKeys)
        let bytes = try vector.bytes
        #expect(ReceiptVector.status(bytes, verifier) == vector.expect)
        // The second time, a leaf that was found good is known. Signed attributes always go the whole way.
        #expect(ReceiptVector.status(bytes, verifier) == vector.expect)
        let isKept = cachesLeafKeys && vector.expect == "OK" && vector.name != "with_signed_attrs"
        #expect(verifier.cachedKeyCount == (isKept ? 1 : 0))
    }

    @Test(arguments: ReceiptVector.all.filter { $0.fields != nil })
    func readsTheFields(vector: ReceiptVector) throws {
        let receipt = try AppReceipt(unverified: try vector.bytes)
        let fields = try #require(vector.fields)
        #expect(receipt.receiptType == fields.receipt_type)
        #expect(receipt.environment == .sandbox)
        #expect(receipt.bundleID == fields.bundle_id)
        #expect(receipt.applicationVersion == fields.application_version)
        #expect(receipt.originalApplicationVersion == fields.original_application_version)
        #expect(receipt.createdAt == Self.time(fields.receipt_creation_date))
        #expect(receipt.originallyPurchasedAt == Self.time(fields.original_purchase_date))
        let device = try #require(vector.device_guid_hex)
        #expect(receipt.isBound(to: Self.bytes(hexadecimal: device)))
        #expect(!receipt.isBound(to: [1, 2, 3]))
    }

    // A receipt that was tampered with says something else than the row.
    @Test(arguments: ReceiptVector.all.filter { $0.in_app != nil && $0.name != "content_tampered" })
    func readsThePurchases(vector: ReceiptVector) throws {
        let purchases = try AppReceipt(unverified: try vector.bytes).purchases
        let expected = try #require(vector.in_app)
        #expect(purchases.count == expected.count)
        for (purchase, row) in zip(purchases, expected) {
            #expect(purchase.quantity == row.quantity)
            #expect(purchase.productID == row.product_id)
            #expect(purchase.transactionID == row.transaction_id)
            #expect(purchase.originalTransactionID == row.original_transaction_id)
            #expect(purchase.purchasedAt == Self.time(row.purchase_date))
            #expect(purchase.originallyPurchasedAt == Self.time(row.original_purchase_date))
            #expect(purchase.productType == StoreProductType(receiptNumber: row.product_type))
            #expect(purchase.expiresAt == Self.time(row.expires_date))
            #expect(purchase.webOrderLineItemID == String(row.web_order_line_item_id))
            #expect(purchase.isTrial == (row.is_trial_period != 0))
            #expect(purchase.isInIntroductoryOffer == (row.is_in_intro_offer_period != 0))
            #expect(purchase.revokedAt == nil)
            #expect(purchase.bundleID == vector.fields?.bundle_id)
            #expect(purchase.environment == .sandbox)
        }
    }

    @Test(arguments: ReceiptVector.all)
    func findsTheFirstTransactionID(vector: ReceiptVector) throws {
        let input = try? ReceiptInput(Array(vector.receipt_b64.utf8))
        #expect(input?.transactionID == vector.first_transaction_id)
    }

    // MARK: Made by hand

    @Test func readsWhatXcodeWrites() throws {
        let purchase = Self.set(
            Self.attribute(1702, Self.utf8("a.b")) + Self.attribute(1703, Self.utf8("0"))
                + Self.attribute(1708, Self.ia5("4001-01-01T00:00:00+0000"))
                + Self.attribute(1712, Self.ia5(""))
        )
        // Types that nobody knows, an empty text, and dates with an offset.
        let attributes = Self.set(
            Self.attribute(9, [0xFF, 0xFF]) + Self.attribute(0, Self.utf8("Xcode"))
                + Self.attribute(2, Self.utf8("a"))
                + Self.attribute(12, Self.ia5("2023-06-01T13:00:00+0100")) + Self.attribute(17, purchase)
                + Self.attribute(19, Self.utf8("")) + Self.attribute(1, [0x0C, 0x01, 0x41])
        )
        let wrapped = Self.element(0x04, attributes)
        let inPieces =
            Self.element(0x04, Array(wrapped.prefix(20))) + Self.element(0x04, Array(wrapped.dropFirst(20)))
        let receipt = try AppReceipt(unverified: Self.indefiniteContainer([0x24, 0x80] + inPieces + [0, 0]))
        #expect(receipt.environment == .xcode)
        #expect(receipt.createdAt == 1_685_620_800_000)
        #expect(receipt.originalApplicationVersion == nil)
        #expect(receipt.appItemID == nil)
        let bought = try #require(receipt.purchases.first)
        #expect(bought.transactionID == "0")
        #expect(bought.originalTransactionID == nil)
        #expect(bought.expiresAt == RFC3339.milliseconds("4001-01-01T00:00:00Z"))
        #expect(bought.revokedAt == nil)
    }

    /// BER allows pieces anywhere; the device's hash is over what they are pieces of.
    @Test func readsValuesInPieces() throws {
        func pieces(_ value: [UInt8]) -> [UInt8] {
            [0x24, 0x80] + Self.element(0x04, Array(value.prefix(2)))
                + Self.element(0x04, Array(value.dropFirst(2))) + [0, 0]
        }
        func attribute(_ type: UInt8, _ value: [UInt8]) -> [UInt8] {
            Self.element(0x30, [0x02, 0x01, type, 0x02, 0x01, 0x01] + pieces(value))
        }
        let purchase = Self.set(Self.attribute(1703, Self.utf8("first")))
        let bundle = Self.utf8("com.example.app")
        let hash = Digest.sha1([1, 2, 3] + [7, 8, 9] + bundle)
        let attributes = Self.set(
            attribute(2, bundle) + attribute(4, [7, 8, 9]) + attribute(5, hash) + attribute(17, purchase)
                + attribute(12, Self.ia5("2023-06-01T12:00:00Z")) + attribute(1, [0x02, 0x01, 0x07])
        )
        let bytes = Self.indefiniteContainer(Self.element(0x04, attributes))
        let receipt = try AppReceipt(unverified: bytes)
        #expect(receipt.bundleID == "com.example.app")
        #expect(receipt.createdAt == 1_685_620_800_000)
        #expect(receipt.appItemID == "7")
        #expect(receipt.purchases.map(\.transactionID) == ["first"])
        #expect(receipt.isBound(to: [1, 2, 3]))
        #expect(ReceiptInput.app(bytes).transactionID == "first")
    }

    @Test func takesWhicheverTransactionIDComesFirst() throws {
        let empty = Self.set(Self.attribute(1703, Self.utf8("")))
        let purchase = Self.set(
            Self.attribute(1705, Self.utf8("first")) + Self.attribute(1703, Self.utf8("second"))
        )
        let attributes = Self.set(
            Self.attribute(17, empty) + Self.attribute(17, [1]) + Self.attribute(17, purchase)
        )
        let bytes = Self.indefiniteContainer(Self.element(0x04, attributes))
        #expect(ReceiptInput.app(bytes).transactionID == "first")
    }

    @Test func refusesTooManyPurchases() {
        let purchase = Self.attribute(17, [0x31, 0x00])
        let many = Array(repeatElement(purchase, count: AppReceipt.purchasesLimit + 1).joined())
        let bytes = Self.indefiniteContainer(Self.element(0x04, Self.set(many)))
        let fault = #expect(throws: AppReceiptFault.self) { try AppReceipt(unverified: bytes) }
        #expect(fault?.reason.code == "receipt.too_many_purchases")
        let enough = Self.set(Array(many.dropLast(purchase.count)))
        #expect(throws: Never.self) {
            try AppReceipt(unverified: Self.indefiniteContainer(Self.element(0x04, enough)))
        }
    }

    @Test func refusesAReceiptWithoutACreationDate() throws {
        let verifier = try ReceiptVector.named("subscription").verifier()
        let bytes = Self.indefiniteContainer(Self.element(0x04, Self.set(Self.attribute(2, Self.utf8("a")))))
        let fault = #expect(throws: AppReceiptFault.self) {
            try verifier.receipt(bytes, now: ReceiptVector.now)
        }
        #expect(fault?.reason.code == "receipt.creation_date")
    }

    @Test func refusesManyCertificatesBeforeAnyIsParsed() throws {
        let certificates = Array(repeatElement(Self.element(0x30, []), count: 9).joined())
        let fault = #expect(throws: AppReceiptFault.self) {
            try AppReceipt(
                unverified: Self.indefiniteContainer(Self.element(0x04, Self.set([])), certificates)
            )
        }
        #expect(fault?.reason.code == "receipt.container")
    }

    @Test func refusesNestingWithoutEnd() {
        let fault = #expect(throws: AppReceiptFault.self) {
            try AppReceipt(
                unverified: Array(repeatElement([0x30, 0x80] as [UInt8], count: 500_000).joined())
            )
        }
        #expect(fault?.kind == .malformed)
        let pieces = Array(repeatElement([0x24, 0x80] as [UInt8], count: 1_000).joined())
        #expect(throws: AppReceiptFault.self) { try AppReceipt(unverified: Self.indefiniteContainer(pieces)) }
    }

    @Test func refusesFiftyMegabytesUnread() throws {
        let verifier = try ReceiptVector.named("subscription").verifier()
        let bytes = [UInt8](repeating: 0x30, count: 50 << 20)
        let fault = #expect(throws: AppReceiptFault.self) {
            try verifier.receipt(bytes, now: ReceiptVector.now)
        }
        #expect(fault?.reason.code == "receipt.too_large")
    }

    @Test func knowsALeafOnlyForTheTimeThatItsChainIsValid() throws {
        let vector = try ReceiptVector.named("subscription")
        let verifier = try vector.verifier()
        #expect(ReceiptVector.status(try vector.bytes, verifier) == "OK")
        // Created when the leaf had expired, and no longer signed.
        let later = Array("2033-06-01T12:00:00Z".utf8)
        var bytes = try vector.bytes
        let range = try #require(bytes.firstRange(of: Array("2023-06-01T12:00:00Z".utf8)))
        bytes.replaceSubrange(range, with: later)
        let fault = #expect(throws: AppReceiptFault.self) {
            try verifier.receipt(bytes, now: ReceiptVector.now)
        }
        #expect(fault?.reason.code == "receipt.outside_validity")
    }

    // MARK: Damage

    /// Some bytes mean nothing to anybody (versions, algorithms named in advance, parameters), so that a receipt is as
    /// good with others there.
    @Test(arguments: ["subscription", "sha1_digest", "with_signed_attrs"])
    func believesNoReceiptWithADamagedByte(name: String) throws {
        let vector = try ReceiptVector.named(name)
        let verifier = try vector.verifier()
        let original = try vector.bytes
        let receipt = try verifier.receipt(original, now: ReceiptVector.now)
        for index in original.indices {
            var damaged = original
            damaged[index] ^= 1 << (index % 8)
            // A damaged receipt that is still believed says the same.
            guard let read = try? verifier.receipt(damaged, now: ReceiptVector.now) else { continue }
            #expect(read == receipt, "byte \(index)")
        }
    }

    @Test func believesNoReceiptThatIsCut() throws {
        let vector = try ReceiptVector.named("subscription")
        let verifier = try vector.verifier()
        let bytes = try vector.bytes
        for length in 0..<bytes.count {
            #expect(
                ReceiptVector.status(Array(bytes.prefix(length)), verifier) == "MALFORMED",
                "length \(length)"
            )
        }
        #expect(ReceiptVector.status(bytes + [0], verifier) == "MALFORMED")
    }

    // MARK: Writing

    static func time(_ text: String) -> Int64? { ReceiptDate.milliseconds(Array(text.utf8)) }

    static func bytes(hexadecimal text: String) -> [UInt8] {
        let digits = text.utf8.compactMap(\.hexadecimalValue)
        return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        let count = content.count
        let length: [UInt8] =
            count < 0x80
            ? [UInt8(count)]
            : [0x83, UInt8(count >> 16), UInt8(count >> 8 & 0xFF), UInt8(count & 0xFF)]
        return [tag] + length + content
    }

    static func utf8(_ text: String) -> [UInt8] { self.element(0x0C, Array(text.utf8)) }

    static func ia5(_ text: String) -> [UInt8] { self.element(0x16, Array(text.utf8)) }

    static func set(_ content: [UInt8]) -> [UInt8] { self.element(0x31, content) }

    static func attribute(_ type: Int, _ value: [UInt8]) -> [UInt8] {
        let number: [UInt8] = type < 0x80 ? [UInt8(type)] : [UInt8(type >> 8), UInt8(type & 0xFF)]
        return self.element(
            0x30,
            self.element(0x02, number) + self.element(0x02, [1]) + self.element(0x04, value)
        )
    }

    /// A container without signers, as Xcode would write it: every length indefinite.
    static func indefiniteContainer(_ content: [UInt8], _ certificates: [UInt8] = []) -> [UInt8] {
        let end: [UInt8] = [0, 0]
        let signedData = self.element(0x06, [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02])
        let data = self.element(0x06, [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x01])
        let encapsulated = [0x30, 0x80] + data + [0xA0, 0x80] + content + end + end
        let inside = self.element(0x02, [1]) + self.element(0x31, []) + encapsulated
        let outside = inside + self.element(0xA0, certificates) + self.element(0x31, [])
        return [0x30, 0x80] + signedData + [0xA0, 0x80] + [0x30, 0x80] + outside + end + end + end
    }
}
