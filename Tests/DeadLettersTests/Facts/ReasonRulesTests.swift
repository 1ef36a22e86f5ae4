import Records
import TestMaterial
import Testing

@testable import DeadLetters

@Suite struct ReasonRulesTests {
    @Test(arguments: [
        ("Read timed out", "timeout"), ("context deadline exceeded", "timeout"),
        ("java.net.ConnectException: Connection refused (Connection refused)", "connection_refused"),
        ("read tcp 1.2.3.4:5->6.7.8.9:1: connection reset by peer", "connection_lost"),
        ("dial tcp: lookup db on 10.0.0.2:53: no such host", "unknown_host"),
        ("Error deserializing key/value for partition a-0 at offset 3", "deserialization"),
        ("json: cannot unmarshal string into Go value of type int", "deserialization"),
        ("Unexpected character ('x' (code 120)): was expecting", "deserialization"),
        ("Schema 17 not found", "schema"), ("403 Forbidden", "authorization"),
        ("401 Unauthorized", "authentication"),
        ("The message is 2097182 bytes when serialized which is too large", "too_large"),
        ("x509: certificate has expired", "tls"), ("pq: duplicate key value violates", "duplicate"),
        ("runtime error: invalid memory address or nil pointer dereference", "null_pointer"),
        ("HTTP 429 Too Many Requests", "rate_limited"), ("amount must not be negative", "validation"),
        ("", "unknown"), ("It did not work", "unknown"), ("12345", "unknown"),
        // Quoted text and addresses decide nothing.
        (#"order "connection refused" is odd"#, "unknown"),
        ("see https://x.example/timeout/forbidden", "unknown"),
    ])
    func makesACode(message: String, code: String) {
        #expect(ReasonRules.standard.code(for: message) == code)
    }

    @Test func goesByTheFirstRule() {
        let rules = ReasonRules([.init("one", "broken"), .init("two", "broken pipe", "gone")])
        #expect(rules.code(for: "Broken pipe") == "one")
        #expect(rules.code(for: "it is GONE") == "two")
        #expect(Letters.facts([RecordHeader("reason_poisoned", "gone")]).reason == "unknown")
        let read = DeadLetterFacts(HeaderBlock([RecordHeader("reason_poisoned", "gone")]), rules: rules)
        #expect(read.reason == "two")
    }

    @Test(arguments: [
        ("Order 17 of user 'bob'  FAILED", "order # of user # failed"),
        ("id 550e8400-e29b-41d4-a716-446655440000 gone", "id # gone"),
        ("GET http://a.example/x?y=1: no", "get # no"), ("can't do it", "can't do it"),
        ("it's 'a b' now", "it's # now"), ("\"open", "\"open"),
    ])
    func takesOutWhatVaries(message: String, shape: String) {
        #expect(String(decoding: MessageShape(message.utf8).bytes, as: UTF8.self) == shape)
    }

    /// Otherwise two records of one trouble would be two groups.
    @Test(arguments: 0..<50 as Range<UInt64>)
    func isTheSameWhateverTheNumbers(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        func shape(_ number: Int) -> [UInt8] {
            MessageShape("offset \(number) of 0x\(String(number, radix: 16))f1 at \"\(number)\" broke".utf8)
                .bytes
        }
        #expect(shape(.random(in: 0...Int.max, using: &random)) == shape(0))
    }
}
