import Configuration
import Operations
import Testing

/// Files that are broken as files: one fault each, with its place.
struct SettingsFileTests {
    @Test(arguments: [
        ("a: 1\nb: [1, 2\n", "w.yaml:3:1: is not valid YAML: did not find expected ',' or ']'"),
        ("a: 1\n\tb: 2\n", "w.yaml:2:1: is not valid YAML: found a tab character that violates indentation"),
        ("a: \"x\n", "w.yaml:2:1: is not valid YAML: found unexpected end of stream"),
        ("a: 1\nb: 2\na: 3\n", "w.yaml:1:1: duplicate setting: a"),
        ("a:\n  b: 1\n  c: 2\n  b: 3\n", "w.yaml:2:3: duplicate setting: b"),
        ("\"a\\nb\": 1\n\"a\\nb\": 3\n", "w.yaml:1:1: duplicate setting: a\\u{a}b"),
        ("- a\n- b\n", "w.yaml: must hold settings as `name: value`, not a list"),
        ("just text\n", "w.yaml: must hold settings as `name: value`, not a single value"),
        ("a: 1\n---\nb: 2\n", "w.yaml:2:1: is not valid YAML: found another document"),
        ("a: *b\n", "w.yaml:1:4: is not valid YAML: found undefined alias"),
        (
            "x: &x {a: 1}\ny:\n  <<: *x\n",
            "w.yaml:3:3: merging with << is not supported: write the settings out"
        ),
        ("? [a, b]\n: 1\n", "w.yaml:1:3: the name of a setting must be text"),
    ])
    func aBrokenFileSaysWhere(text: String, fault: String) {
        #expect(throws: SettingsFaults.self) { try SettingsFile(text: text, path: "w.yaml") }
        #expect(Self.faults(of: text) == fault)
    }

    @Test func aFileThatIsNotThereIsAFault() {
        do throws(SettingsFaults) {
            _ = try SettingsFile(path: "/nowhere/w.yaml")
            Issue.record("no fault")
        } catch {
            #expect(error.description == "/nowhere/w.yaml: cannot be read: no such file")
        }
    }

    @Test(arguments: ["a: &a [x, x]\nb: &b [*a, *a]\n", "? &a [x, x]\n: 1\n"])
    func aFewAliasesAreFine(text: String) {
        #expect(!Self.faults(of: text).contains("aliases"))
    }

    @Test func aBombOfAliasesDoesNotGoOff() {
        var text = "l0: &l0 [x, x, x, x, x, x, x, x, x]\n"
        for level in 1...9 {
            let aliases = Array(repeating: "*l\(level - 1)", count: 9).joined(separator: ", ")
            text += "l\(level): &l\(level) [\(aliases)]\n"
        }
        #expect(Self.faults(of: text) == "w.yaml: has more than 16 YAML aliases")
    }

    @Test func aTreeThatIsTooLargeOrTooDeepIsAFault() {
        let wide = "a: [" + String(repeating: "x, ", count: 10_001) + "x]\n"
        let deep = "a: " + String(repeating: "[", count: 200) + String(repeating: "]", count: 200) + "\n"
        let deeper = "a: " + String(repeating: "[", count: 100_000)
        let problem = "more than 10000 values, or nested deeper than 64"
        #expect(Self.faults(of: wide).contains(problem))
        #expect(Self.faults(of: deep).contains(problem))
        #expect(Self.faults(of: deeper).contains("is not valid YAML"))
        #expect(Self.faults(of: String(repeating: "#", count: 1_048_577)) == "w.yaml: is larger than 1 MiB")
    }

    @Test func aPrintedFileShowsNoValue() throws {
        let file = try SettingsFile(text: "sign_key: hunter2\n", path: "w.yaml")
        var dumped = ""
        dump(file, to: &dumped)
        dump(SettingsReader(file: file, overrides: []), to: &dumped)
        #expect(!dumped.contains("hunter2"))
    }

    static func faults(of text: String) -> String {
        do throws(SettingsFaults) {
            _ = try SettingsFile(text: text, path: "w.yaml")
            return ""
        } catch {
            return error.description
        }
    }
}
