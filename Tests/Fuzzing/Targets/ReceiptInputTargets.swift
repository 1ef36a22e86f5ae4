import Cryptography
import Records
import SwiftProtobuf
import WireMessages

@testable import WireFormats

extension FuzzTarget {
    /// A receipt as a client sends it, with everything that its transport has made of it.
    static let receiptInput = FuzzTarget(
        "receipt-input",
        longestInput: 4_900,
        words: [
            "{\"Store\":\"AppleAppStore\",\"Payload\":\"", "%2B", "%3D", "\\n", "\\/", "\r\n", "ewoJ", "MIIB",
            "e30=", "a.b.c", "<html>",
        ],
        seeds: {
            ["pkcs7_receipt", "ios6_transaction_receipt"].flatMap { VectorRows.of($0) }
                .compactMap { $0.text("receipt_b64").map { Array($0.utf8) } }
        }
    ) { input in
        // As it came, and as bytes that a client has encoded.
        for text in [input, Base64.encode(input)] {
            let receipt: ReceiptInput
            do throws(AppReceiptFault) {
                receipt = try ReceiptInput(text)
            } catch {
                try StoreClaims.check(error)
                continue
            }
            try ReceiptInputClaims.check(receipt)
        }
    }

    /// A record of the topic `receipt`: headers, an empty line, the value.
    static let receiptRecord = FuzzTarget(
        "receipt-record",
        longestInput: 1_024,
        words: RecordClaims.words + [
            "bundleId", "receiptData", "transactionId", "productId", "environment", "requestId",
            "receivedAt", "sandbox", "production", "2026-11-21T08:00:00.250Z", "MIIB", "2000000123456789",
        ]
    ) { input in
        var reader = InputReader(input)
        try ReceiptRecordClaims.check(reader.record(topic: "receipt"))
    }
}

private enum ReceiptInputClaims {
    static func check(_ receipt: ReceiptInput) throws {
        try claim("a receipt is not empty", !receipt.bytes.isEmpty)
        _ = receipt.transactionID
        guard let data = receipt.receiptData else { return try self.checkSigned(receipt) }
        try claim("what is sent to Apple is the receipt", Base64.decode(data.utf8) == receipt.bytes)
        // One of the ways for each input: any other, another input goes.
        let way = Int(Digest.sha256(receipt.bytes)[0])
        let mangled = self.mangled(Array(data.utf8), way)
        try claim("transports change nothing", try ReceiptInput(mangled) == receipt)
    }

    private static func checkSigned(_ receipt: ReceiptInput) throws {
        let text = receipt.bytes
        let isPlain = text.allSatisfy {
            $0.isDigit || $0.isLowercase || $0.isUppercase || "-_.".utf8.contains($0)
        }
        // A text that still looks escaped would be unescaped once more.
        guard isPlain else { return }
        for same in [text, [0x20] + text + [0x0A], [0x22] + text + [0x22]] {
            try claim("quotes and white space mean nothing", try ReceiptInput(same) == receipt)
        }
    }

    /// The changes that have been seen on the way from a client to a server.
    private static func mangled(_ text: [UInt8], _ way: Int) -> [UInt8] {
        func inLines(of count: Int, _ end: String) -> [UInt8] {
            let lines = stride(from: 0, to: text.count, by: count).map { text[$0...].prefix(count) }
            return Array(lines.joined(separator: end.utf8))
        }
        func replaced(_ replacements: KeyValuePairs<UInt8, UInt8>) -> [UInt8] {
            text.map { byte in replacements.first { $0.key == byte }?.value ?? byte }
        }
        switch way % 7 {
        case 0: return inLines(of: 64, "\r\n")
        case 1: return inLines(of: 76, "\\r\\n")
        case 2: return replaced([0x2B: 0x2D, 0x2F: 0x5F]).filter { $0 != UInt8(ascii: "=") }
        case 3: return PercentEncoding.encode(text)
        case 4: return [0x22] + text + [0x22]
        // A plus sign at the very end is lost with the white space there.
        case 5 where text.last != 0x2B: return replaced([0x2B: 0x20])
        default:
            return Array("{\"Store\":\"AppleAppStore\",\"Payload\":\"".utf8) + text + Array("\"}".utf8)
        }
    }
}

/// The claims that hold of every record of the topic `receipt`.
private enum ReceiptRecordClaims {
    private static let codes: Set<String> = RecordClaims.codes.union([
        "receipt.missing", "environment.unknown", "received_at.malformed", "bundle_id.too_long",
        "request_id.too_long", "product_id.too_long", "transaction_id.malformed", "receipt_data.malformed",
        "product_id.malformed", "environment.malformed", "request_id.malformed",
    ])

    static func check(_ record: InboundRecord) throws {
        let reading = self.reading(record)
        try RecordClaims.check(record, saysTheSameAs: { self.reading($0) == reading })
        switch reading {
        case .success(let receipt):
            for format in ValueFormat.allCases {
                var again = record
                again.value = try receipt.written(as: format)
                again.headers = [RecordHeader("content-type", format.contentType)]
                try claim("written as \(format), it is read as the same", self.reading(again) == reading)
            }
        case .failure(.record(let fault)): try StoreClaims.check(fault.reason, of: self.codes)
        case .failure(.refused(let reason, _)): try StoreClaims.check(reason, of: self.codes)
        }
    }

    private static func reading(_ record: InboundRecord) -> Result<Receipt, Receipt.Fault> {
        do throws(Receipt.Fault) {
            return .success(try Receipt(decoding: record))
        } catch {
            return .failure(error)
        }
    }
}

extension Receipt {
    /// As a backend would write it.
    fileprivate func written(as format: ValueFormat) throws -> [UInt8] {
        var message = Flotilla_Receipt_V1_Receipt()
        message.bundleID = self.header.bundleID
        message.requestID = self.header.requestID
        message.productID = self.header.productID
        message.transactionID = self.header.transactionID
        message.receiptData = String(decoding: self.text, as: UTF8.self)
        message.environment = self.hint?.rawValue ?? ""
        if let receivedAt { message.receivedAt = Google_Protobuf_Timestamp(milliseconds: receivedAt) }
        return switch format {
        case .json: try message.jsonUTF8Bytes()
        case .protobuf: try message.serializedBytes()
        }
    }
}
