import Records
import Testing

@testable import DeadLetters
@testable import WireFormats

/// Scripts that change messages: each kind of change, what it leaves alone, and what it refuses.
struct PayloadScriptTests {
    private static func changed(_ message: String, by changes: String...) throws -> String {
        var tree = try JSONTree(parsing: Array(message.utf8))
        for change in try PayloadScript(changes.joined(separator: "\n")).changes {
            tree = try change.applied(to: tree)
        }
        return String(decoding: tree.compact, as: UTF8.self)
    }

    @Test(arguments: [
        (#"{"value":1}"#, "set value = 4990", #"{"value":4990}"#),
        (#"{"value":1}"#, #"set value = "4990""#, #"{"value":"4990"}"#),
        (#"{}"#, "set name = two words ", #"{"name":"two words"}"#),
        (#"{"a":{"b":[1,{"c":2}]}}"#, "set a.b[1].c = [true, null]", #"{"a":{"b":[1,{"c":[true,null]}]}}"#),
        (#"{"a":1,"a":2}"#, "set a = 3", #"{"a":1,"a":3}"#),
        (#"{"deviceID":"x","b":1}"#, "rename deviceID to deviceId", #"{"deviceId":"x","b":1}"#),
        (#"{"a":{"b":1}}"#, #"rename a.b to ["b c"]"#, #"{"a":{"b c":1}}"#),
        (#"{"b":1}"#, "rename a to b", #"{"b":1}"#),
        (#"{"a":1,"b":2,"a":3}"#, "delete a", #"{"b":2}"#),
        (#"{"a":[1,2,3]}"#, "delete a[1]", #"{"a":[1,3]}"#),
        (#"{"b":1}"#, "delete a", #"{"b":1}"#),
        (#"{"a":"4990"}"#, "convert a to number", #"{"a":4990}"#),
        (#"{"a":4990}"#, "convert a to number", #"{"a":4990}"#),
        (#"{"a":12345678901234567890}"#, "convert a to text", #"{"a":"12345678901234567890"}"#),
        (#"{"a":"true","b":0}"#, "convert a to flag", #"{"a":true,"b":0}"#),
        (#"{"b":0}"#, "convert b to flag", #"{"b":false}"#),
        (#"{"b":0}"#, "convert a to flag", #"{"b":0}"#),
        (#"{"a":1763712000}"#, "convert a to time", #"{"a":"2025-11-21T08:00:00Z"}"#),
        (#"{"a":1763712000123}"#, "convert a to time", #"{"a":"2025-11-21T08:00:00.123Z"}"#),
        (#"{"a":"2025-11-21 16:00:00"}"#, "convert a to time +08:00", #"{"a":"2025-11-21T16:00:00+08:00"}"#),
        (#"{"a":"2025-11-21T08:00:00Z"}"#, "convert a to time +08:00", #"{"a":"2025-11-21T08:00:00Z"}"#),
        (#"{"value":49.90}"#, "multiply value by 100", #"{"value":4990}"#),
        (#"{"value":"0.07"}"#, "multiply value by 100", #"{"value":7}"#),
        (#"{"value":-1234567890123456.789}"#, "multiply value by 1000", #"{"value":-1234567890123456789}"#),
    ])
    func changesWhatItNames(message: String, change: String, result: String) throws {
        #expect(try Self.changed(message, by: change) == result)
    }

    @Test(arguments: [
        (#"{"a":1}"#, "set b.c = 1"), (#"{"a":[1]}"#, "set a[1] = 1"), (#"{"a":1}"#, "set a.b = 1"),
        (#"{"a":1,"b":2}"#, "rename a to b"), (#"{"a":"x"}"#, "convert a to number"),
        (#"{"a":null}"#, "convert a to text"), (#"{"a":{}}"#, "convert a to text"),
        (#"{"a":2}"#, "convert a to flag"), (#"{"a":"2025-11-21 16:00:00"}"#, "convert a to time"),
        (#"{"a":"soon"}"#, "convert a to time +08:00"), (#"{"a":-1}"#, "convert a to time"),
        (#"{"a":"x"}"#, "multiply a by 100"), (#"{"a":1e5}"#, "multiply a by 100"),
        (#"{"a":12345678901234567890123}"#, "multiply a by 100"),
    ])
    func saysWhatCannotBeChanged(message: String, change: String) throws {
        let fault = #expect(throws: DeadLetterPayload.EditFault.self) {
            try Self.changed(message, by: change)
        }
        #expect(fault?.sentence.hasSuffix(".") == true && fault?.sentence.contains("secret") == false)
    }

    @Test(arguments: [
        "", "   # nothing", "put a = 1", "set a", "set a =", "set = 1", #"set a = "x"#,
        "set a = {", "rename a", "rename a to", "rename a to b.c", "rename a[0] to b", "delete a b", "delete",
        "convert a", "convert a to money", "convert a to time 08:00", "convert a to time +8",
        "convert a to text x",
        "multiply a by", "multiply a by x", "multiply a by 1e3", "multiply a by 1234567890123456789",
        String(repeating: "delete a\n", count: 101), "set a = " + String(repeating: "1", count: 4_096),
    ])
    func refusesWhatIsNoScript(text: String) {
        #expect(throws: PayloadPath.Fault.self) { try PayloadScript(text) }
    }

    @Test func namesTheLineOfAFault() {
        let fault = #expect(throws: PayloadPath.Fault.self) {
            try PayloadScript("# one\n\ndelete a\nremove b")
        }
        #expect(fault?.sentence.hasPrefix("Line 4: ") == true)
    }

    @Test func itsWordsHaveNoValues() throws {
        let script = try PayloadScript(
            "set muid = 41b5f7c7\nrename a.b to c\nconvert x to time +08:00\nmultiply value by 4711\ndelete d[2]"
        )
        #expect(
            script.words == "set muid; rename a.b to c; convert x; multiply value; delete d[2]"
        )
    }

    // MARK: of records

    private static let payment = EditingTests.valid.replacing("MOBILEAPP_ACTIVITE", with: "MOBILEAPP_COST")

    private static func payload(_ value: String) -> DeadLetterPayload {
        DeadLetterPayloadTests.payload(value, schema: .activation)
    }

    @Test func aChangedMessageIsHeldToItsSchema() throws {
        let payload = Self.payload(Self.payment.replacing("}", with: #","value":49.90}"#))
        let changed = try payload.changed(by: try PayloadScript("multiply value by 100"))
        #expect(changed.map { String(decoding: $0, as: UTF8.self) }?.contains(#""value":4990"#) == true)
        let fault = #expect(throws: DeadLetterPayload.EditFault.self) {
            try payload.changed(by: try PayloadScript("multiply value by 99"))
        }
        #expect(fault?.sentence == #""value" has to be a whole number."#)
        #expect(try Self.payload(Self.payment).changed(by: try PayloadScript("delete value")) == nil)
    }

    @Test(arguments: ["plain text", "", "\u{0}\u{1}"])
    func aValueWithoutFieldsIsNotChanged(value: String) throws {
        let script = try PayloadScript("set value = 1")
        #expect(throws: DeadLetterPayload.EditFault.self) { try Self.payload(value).changed(by: script) }
    }
}
