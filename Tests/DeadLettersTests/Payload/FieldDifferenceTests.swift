import Testing
import WireFormats

@testable import DeadLetters

@Suite struct FieldDifferenceTests {
    private static func lines(_ old: String, _ new: String) throws -> [String] {
        FieldDifference.between(
            try JSONTree(parsing: Array(old.utf8)),
            try JSONTree(parsing: Array(new.utf8))
        ).map { $0.line() }
    }

    @Test(arguments: [
        ("{}", "{}", []), (#"{"a":1,"b":2}"#, #"{"b":2,"a":1}"#, []),
        (#"{"a":1}"#, #"{"a":2}"#, ["a: 1 → 2"]), (#"{"a":1}"#, #"{"a":"1"}"#, [#"a: 1 → "1""#]),
        (
            #"{"a":{"b":[1,{"c":2}]}}"#, #"{"a":{"b":[1,{"c":3},4]}}"#,
            ["a.b[1].c: 2 → 3", "a.b[2]: (nothing) → 4"]
        ),
        (#"{"a":1,"z":0}"#, #"{"b":2,"z":0}"#, ["a: 1 → (nothing)", "b: (nothing) → 2"]),
        (#"{"a b":1}"#, #"{"a b":{}}"#, [#"["a b"]: 1 → {}"#]), ("1", "[]", ["(all): 1 → []"]),
        (#"{"a":1,"a":2}"#, #"{"a":1}"#, [#"(all): {"a":1,"a":2} → {"a":1}"#]),
        (#"{"\u001b":1}"#, #"{"\u001b":"\u0007"}"#, [#"["\u001b"]: 1 → "\u0007""#]),
    ])
    func tells(old: String, new: String, lines: [String]) throws {
        #expect(try Self.lines(old, new) == lines)
    }

    @Test func masksWhatItTells() throws {
        let old = DeadLetterPayloadTests.payload(#"{"appId":1,"deviceId":"a","x":5}"#, schema: .activation)
        let new = DeadLetterPayloadTests.payload(
            #"{"appId":2,"deviceId":"b","x":"5","muid":"m"}"#,
            schema: .activation
        )
        let lines = FieldDifference.between(old, new, masking: { $0.masked(by: mark) }).map { $0.line() }
        // The last is a difference that the marks do not show.
        #expect(
            lines == [
                "appId: 1 → 2", ##"deviceId: "#a" → "#b""##, ##"x: "#5" → "#5""##,
                ##"muid: (nothing) → "#m""##,
            ]
        )
    }
}
