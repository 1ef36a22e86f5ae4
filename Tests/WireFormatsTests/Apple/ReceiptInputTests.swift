import TestMaterial
import Testing

@testable import WireFormats

@Suite struct ReceiptInputTests {
    static func input(_ text: String) throws -> ReceiptInput { try ReceiptInput(Array(text.utf8)) }

    /// Changes that happen to base64 on its way, after which it still has to be read as the receipt it was.
    static let accidents: [(name: String, change: @Sendable (String) -> String)] = [
        ("nothing", { $0 }),
        ("white space around it", { "\r\n  \($0)\n" }),
        ("lines", { Self.lines($0, "\n") }),
        ("lines for mail", { Self.lines($0, "\r\n") }),
        ("line breaks escaped for JSON", { Self.lines($0, #"\r\n"#) }),
        ("slashes escaped for JSON", { $0.replacing("/", with: #"\/"#) }),
        ("indented lines", { Self.lines($0, "\n    ") }),
        ("plus signs read as spaces", { $0.replacing("+", with: " ") }),
        (
            "percent-encoded",
            { $0.replacing("+", with: "%2B").replacing("/", with: "%2f").replacing("=", with: "%3D") }
        ),
        ("the alphabet for URLs", { $0.replacing("+", with: "-").replacing("/", with: "_") }),
        ("no padding", { $0.replacing("=", with: "") }),
        ("too much padding", { $0 + "==" }),
        ("quotes", { "\"\($0)\"" }),
        ("Unity", { #"{"Store":"AppleAppStore","TransactionID":"1","Payload":"\#($0)"}"# }),
        ("Unity, percent-encoded", { "%7B%22Payload%22:%22" + $0.replacing("+", with: "%2B") + "%22%7D" }),
        ("Unity with lines", { #"{"Payload":"\#(Self.lines($0, #"\n"#))","Store":"MacAppStore"}"# }),
    ]

    @Test(arguments: accidents.indices)
    func undoesAccidents(index: Int) throws {
        let (name, change) = Self.accidents[index]
        for vector in ReceiptVector.all where ["OK", "REJECT"].contains(vector.expect) {
            let input = try Self.input(change(vector.receipt_b64))
            #expect(input == .app(try vector.bytes), "\(name), \(vector.name)")
            #expect(input.receiptData == vector.receipt_b64)
        }
        for row in TransactionReceiptVector.all where row.expect != "MALFORMED" {
            let input = try Self.input(change(row.receipt_b64))
            #expect(input == .transaction(try row.bytes), "\(name), \(row.name)")
            #expect(input.receiptData == row.receipt_b64)
        }
    }

    @Test func tellsSignedTransactionsApart() throws {
        let vector = try JWSVector.named("valid")
        #expect(try Self.input(vector.jws + "\n") == .signed(Array(vector.jws.utf8)))
        #expect(try Self.input(vector.jws).transactionID == vector.payload.transactionId)
        #expect(try Self.input(#"{"Payload":"\#(vector.jws)"}"#) == .signed(Array(vector.jws.utf8)))
        #expect(try Self.input(vector.jws).receiptData == nil)
    }

    @Test func takesAPropertyListAsItIs() throws {
        let row = try TransactionReceiptVector.named("valid_sandbox")
        let input = try Self.input(String(decoding: try row.bytes, as: UTF8.self))
        #expect(input.transactionID == row.transaction_id)
    }

    @Test(arguments: [
        ("", "receipt.empty"),
        (" \r\n", "receipt.empty"),
        ("\"\"", "receipt.empty"),
        ("<!DOCTYPE html><html></html>", "receipt.markup"),
        ("<3082 0dd2>", "receipt.markup"),
        ("undefined", "receipt.unknown_form"),
        ("(null)", "receipt.base64"),
        ("====", "receipt.base64"),
        ("MII=abc", "receipt.base64"),
        ("bm90IGEgcmVjZWlwdCBhdCBhbGw=", "receipt.unknown_form"),
        ("aGVsbG8=", "receipt.unknown_form"),
        ("MAAA", "receipt.trailing_bytes"),
        ("a.b", "receipt.jws"),
        ("a.b.c.d", "receipt.jws"),
        ("{\"status\":0}", "receipt.json"),
        ("{\"Payload\":\"{\\\"Payload\\\":\\\"\\\"}\"}", "receipt.json"),
        ("{\"Payload\":\"\"}", "receipt.empty"),
        ("{\"Store\":\"GooglePlay\",\"Payload\":\"{}\"}", "receipt.other_store"),
        ("{broken", "receipt.property_list"),
        ("MIT/////BgkqhkiG9w0BBwKggg3DMIINvwIBATEPMA0GCWCGSAFlAwQC", "receipt.truncated"),
    ])
    func namesWhatIsNoReceipt(text: String, code: String) {
        let fault = #expect(throws: AppReceiptFault.self) { try Self.input(text) }
        #expect(fault?.kind == .malformed)
        #expect(fault?.reason.code == code)
    }

    @Test func saysThatAReceiptIsCut() throws {
        let whole = try ReceiptVector.named("subscription").receipt_b64
        for length in stride(from: 8, to: whole.count - 8, by: 13) {
            let fault = #expect(throws: AppReceiptFault.self, "length \(length)") {
                try Self.input(String(whole.prefix(length)))
            }
            #expect(fault?.reason.code == "receipt.truncated", "length \(length)")
        }
    }

    @Test func refusesFiftyMegabytesUnread() {
        let text = [UInt8](repeating: UInt8(ascii: "A"), count: 50 << 20)
        let fault = #expect(throws: AppReceiptFault.self) { try ReceiptInput(text) }
        #expect(fault?.reason.code == "receipt.too_large")
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func survivesDamageInAnyNumber(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let texts = ReceiptVector.all.map(\.receipt_b64) + TransactionReceiptVector.all.map(\.receipt_b64)
        let verifier = try ReceiptVector.named("subscription").verifier()
        for text in texts where !text.isEmpty {
            var bytes = Array(text.utf8)
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                bytes[Int.random(in: bytes.indices, using: &random)] = .random(in: 0...255, using: &random)
            }
            // All that is asked is an answer.
            guard let input = try? ReceiptInput(bytes) else { continue }
            _ = input.transactionID
            if case .app(let container) = input {
                #expect(["OK", "REJECT", "MALFORMED"].contains(ReceiptVector.status(container, verifier)))
            }
        }
    }

    private static func lines(_ text: String, _ end: String) -> String {
        stride(from: 0, to: text.utf8.count, by: 64)
            .map { String(decoding: Array(text.utf8).dropFirst($0).prefix(64), as: UTF8.self) }
            .joined(separator: end)
    }
}
