/// A client's receipt, classified by its form, after common damage of its transport was repaired.
///
/// Nothing is verified here. Each input that has none of these forms is refused with a reason of its own.
package enum ReceiptInput: Hashable, Sendable {
    /// An app receipt (iOS 7 and later): a PKCS#7 container.
    case app([UInt8])
    /// A transaction receipt (iOS 6 and earlier): a property list.
    case transaction([UInt8])
    /// A signed transaction of StoreKit 2: the text of a JWS.
    case signed([UInt8])

    /// The most bytes of input: a little more than the largest receipt takes in base64.
    package static let bytesLimit = 6 << 20

    /// Reads base64 with the damage that `ReceiptText` repairs, the text of a JWS, a plain property list, or
    /// Unity's wrapper around any of them (`{"Store": …, "TransactionID": …, "Payload": …}`). Quotes and
    /// percent-encoding around the input are removed.
    ///
    /// - Throws: `AppReceiptFault` of the kind `malformed`.
    package init(_ text: [UInt8]) throws(AppReceiptFault) {
        guard text.count <= Self.bytesLimit else {
            throw .malformed("receipt.too_large", "The receipt has more than \(Self.bytesLimit) bytes.")
        }
        try self.init(text[...], isWrapped: false)
    }

    private init(_ text: ArraySlice<UInt8>, isWrapped: Bool) throws(AppReceiptFault) {
        let trimmed = text.trimmingWhiteSpace()
        let unescaped =
            trimmed.contains(UInt8(ascii: "%")) && trimmed.first != UInt8(ascii: "{")
            ? PercentEncoding.decode(trimmed)[...] : trimmed
        let text = Self.unquoted(unescaped.trimmingWhiteSpace())
        switch text.first {
        case nil:
            throw .malformed("receipt.empty", "The receipt is empty.")
        case UInt8(ascii: "<"):
            throw .malformed("receipt.markup", "The receipt is a page or a piece of markup.")
        case UInt8(ascii: "{"):
            self = try Self.inBraces(text, isWrapped: isWrapped)
        case _ where text.contains(UInt8(ascii: ".")):
            guard text.count(where: { $0 == UInt8(ascii: ".") }) == 2 else {
                throw .malformed("receipt.jws", "The receipt has dots, but is no signed transaction.")
            }
            self = .signed(Array(text))
        default:
            self = try Self.base64(text)
        }
    }

    private static func unquoted(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let quote = UInt8(ascii: "\"")
        guard text.count >= 2, text.first == quote, text.last == quote else { return text }
        return text.dropFirst().dropLast().trimmingWhiteSpace()
    }

    private static func inBraces(
        _ text: ArraySlice<UInt8>,
        isWrapped: Bool
    ) throws(AppReceiptFault) -> ReceiptInput {
        guard let object = JSONObject(Array(text)) else {
            guard OldPropertyList(Array(text)) != nil else {
                throw .malformed(
                    "receipt.property_list",
                    "The receipt begins with a brace, but cannot be read."
                )
            }
            return .transaction(Array(text))
        }
        guard !isWrapped, let payload = object.string("Payload") else {
            throw .malformed("receipt.json", "The receipt is JSON, but none that wraps a receipt.")
        }
        let store = object.string("Store") ?? "AppleAppStore"
        guard store.isExactly("AppleAppStore") || store.isExactly("MacAppStore") else {
            throw .malformed("receipt.other_store", "The receipt is one of another store than Apple's.")
        }
        return try ReceiptInput(Array(payload.utf8)[...], isWrapped: true)
    }

    private static func base64(_ text: ArraySlice<UInt8>) throws(AppReceiptFault) -> ReceiptInput {
        var fault = AppReceiptFault.malformed("receipt.base64", "The receipt is not base64.")
        for reading in ReceiptText(text)?.readings ?? [] {
            guard let bytes = ReceiptText.bytes(reading) else { continue }
            switch Form(of: bytes) {
            case .app: return .app(bytes)
            case .transaction: return .transaction(bytes)
            case .cut: fault = .malformed("receipt.truncated", "The receipt is cut off.")
            case .followed: fault = .malformed("receipt.trailing_bytes", "Something follows the receipt.")
            case .unknown where fault.reason.code == "receipt.base64":
                fault = .malformed("receipt.unknown_form", "The receipt is of no form that Apple uses.")
            case .unknown: break
            }
        }
        throw fault
    }

    /// The form of decoded bytes, judged by their outermost structure.
    private enum Form {
        /// A whole DER or BER sequence.
        case app
        /// A property list.
        case transaction
        /// The beginning of a longer value.
        case cut
        /// A whole sequence with bytes after it.
        case followed
        /// Any other bytes.
        case unknown

        init(of bytes: [UInt8]) {
            switch bytes.first {
            case ASN1Reader.Tag.sequence.rawValue:
                var reader = ASN1Reader(bytes.indices)
                if (try? reader.next(.sequence, in: bytes.span)) != nil {
                    self = reader.isAtEnd ? .app : .followed
                } else {
                    self = ASN1Reader.promisesMore(than: bytes.span) ? .cut : .unknown
                }
            case let first? where first == UInt8(ascii: "{") || first.isWhiteSpace:
                self = OldPropertyList(bytes) != nil ? .transaction : .cut
            default:
                self = .unknown
            }
        }
    }

    /// The receipt for verifyReceipt's `receipt-data`, in base64; nil for a signed transaction, which
    /// verifyReceipt does not accept.
    package var receiptData: String? {
        switch self {
        case .app(let bytes), .transaction(let bytes): String(decoding: Base64.encode(bytes), as: UTF8.self)
        case .signed: nil
        }
    }
}
