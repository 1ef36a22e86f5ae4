import Testing

@testable import WorkerKit

struct InterpretCaseTests {
    /// The largest number is one that an app id can be. Found by fuzzing: it came back as 1.8446744073709552e+19.
    @Test(arguments: [
        "null", "true", "-9223372036854775808", "18446744073709551615", "0.1", "[1,[]]",
        #"{"a":{"b":"c/d"}}"#,
    ])
    func keepsAnyJSONAsItIs(text: String) throws {
        let given = try InterpretCase(Array(#"{"record":\#(text),"body":[\#(text)]}"#.utf8))
        #expect(String(decoding: given.record, as: UTF8.self) == text)
        #expect(given.body.map { String(decoding: $0, as: UTF8.self) } == "[\(text)]")
    }

    @Test func takesAStringForItsText() throws {
        let given = try InterpretCase(Array(#"{"record":"{\"appId\":1}","body":null}"#.utf8))
        #expect(given.record == Array(#"{"appId":1}"#.utf8))
        #expect(given.body == nil)
    }

    /// Found by fuzzing: it took the cube of the depth, a second for these thousand bytes.
    @Test func readsADeepRecord() throws {
        let deep = String(repeating: "[", count: 500) + String(repeating: "]", count: 500)
        let given = try InterpretCase(Array(#"{"record":\#(deep)}"#.utf8))
        #expect(given.record == Array(deep.utf8))
    }

    @Test(arguments: ["", "{}", "[]", "7", #"{"record":{},"status":"200"}"#, #"{"record":{}"#])
    func refusesWhatIsNoCase(line: String) {
        #expect(throws: InterpretCase.Fault.self) { try InterpretCase(Array(line.utf8)) }
    }
}
