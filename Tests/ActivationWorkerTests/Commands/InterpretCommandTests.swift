import Foundation
import Testing
import WorkerTestSupport

/// `interpret`, run as a process: every answer that GDT can give, and what the worker would make of it.
@Suite(.timeLimit(.minutes(10)))
struct InterpretCommandTests {
    static let now = 1_422_263_664
    static let arguments = ["interpret", "--config", "{settings}", "--now", "\(now)"]
    static let one = arguments + ["--record", PlanCommandTests.good]

    /// One line of standard output in a few words.
    private static func words(_ line: NSDictionary) -> String {
        if let error = line["error"] as? String { return "error: \(error)" }
        let members = ["verdict", "reason", "after_ms", "outcome", "class", "scope"]
        return members.compactMap { line[$0].flatMap { $0 is NSNull ? nil : "\($0)" } }.joined(separator: " ")
    }

    private static func line(_ members: String, record: String = PlanCommandTests.good) -> String {
        #"{"record":\#(record),\#(members)}"#
    }

    private func expect(_ cases: [(line: String, words: String)]) throws {
        let input = cases.map { $0.line + "\n" }.joined()
        let command = try WorkerCommand(Self.arguments, input: Array(input.utf8))
        #expect(command.status == 0 && command.complaints == "")
        #expect(command.objects.map(Self.words) == cases.map(\.words))
    }

    @Test func readsEveryCode() throws {
        let codes: [(Int64, Int, String)] = [
            (0, 1, "answer succeeded"),
            (-1, 1, "reject gdt.-1 dead_lettered rejected"),
            (-2, 1, "reject gdt.-2 dead_lettered rejected"),
            (-3, 1, "reject gdt.-3 dead_lettered rejected"),
            (-12, 1, "retry gdt.-12"),
            (-12, 4, "retry gdt.-12"),
            (-12, 5, "hold gdt.-12 lane"),
            (-13, 1, "reject gdt.-13 dead_lettered rejected"),
            (-14, 1, "reject gdt.-14 rejected"),
            (-15, 1, "reject gdt.-15 rejected"),
            (-17, 1, "retry gdt.-17"),
            (-17, 5, "hold gdt.-17 lane"),
            (-4, 1, "retry gdt.-4"),
            (-4, 5, "reject gdt.-4 dead_lettered exhausted"),
            (7, 1, "retry gdt.7"),
            (1_000_000, 1, "retry gdt.other"),
        ]
        try self.expect(
            codes.map { code, attempt, words in
                (Self.line(#""body":{"ret":\#(code),"msg":"m"},"attempt":\#(attempt)"#), words)
            }
        )
    }

    @Test func readsEveryStatus() throws {
        try self.expect([
            (Self.line(#""status":200,"body":"<html>""#), "retry gdt.not_an_answer"),
            (Self.line(#""status":200"#), "retry gdt.not_an_answer"),
            (Self.line(#""status":204,"body":"{\"ret\":0}""#), "answer succeeded"),
            (Self.line(#""status":400"#), "reject http.400 dead_lettered rejected"),
            (Self.line(#""status":429,"headers":{"Retry-After":"5"}"#), "retry http.429 5000"),
            (Self.line(#""status":429,"headers":{"retry-after":" 5 "}"#), "retry http.429 5000"),
            (
                Self.line(#""status":503,"headers":{"Retry-After":"Mon, 26 Jan 2015 09:16:24 GMT"}"#),
                "retry http.503 120000"
            ),
            (
                Self.line(#""status":503,"headers":{"Retry-After":"Mon, 26 Jan 2015 09:00:00 GMT"}"#),
                "retry http.503 0"
            ),
            (Self.line(#""status":503,"headers":{"Retry-After":"soon"}"#), "retry http.503"),
            (Self.line(#""status":403"#), "hold http.403 lane"),
            (Self.line(#""status":404"#), "hold http.404 lane"),
            (Self.line(#""status":404,"attempt":5"#), "reject http.404 dead_lettered rejected"),
            (Self.line(#""status":407"#), "hold http.407 upstream"),
            (Self.line(#""status":302,"headers":{"Location":"/"}"#), "hold http.302 lane"),
            (Self.line(#""status":500"#), "retry http.500"),
            (Self.line(#""status":999"#), "retry http.other"),
            (Self.line(#""status":502,"body":{"ret":0}"#), "retry http.502"),
        ])
    }

    @Test func readsEveryFailure() throws {
        let early = ["resolve", "connect", "tls"]
        let late = ["timeout", "cut", "malformed", "too_large", "other"]
        try self.expect(
            early.map { (Self.line(#""failure":"\#($0)""#), "retry transport.\($0)") }
                + late.map { (Self.line(#""failure":"\#($0)""#), "retry transport.\($0)_after_send") }
        )
    }

    @Test func printsOneLineForEachLine() throws {
        let noCase = "error: the line is not a case"
        try self.expect([
            (Self.line(#""body":{"ret":0}"#), "answer succeeded"),
            ("", noCase), ("\r", noCase), ("{", noCase), ("{}", noCase),
            (#"{"record":1,"status":"x"}"#, noCase),
            (
                Self.line(#""failure":"sleepy""#),
                "error: a failure is one of resolve, connect, tls, timeout, cut, malformed, too_large, address, other"
            ),
            (Self.line(#""status":42"#), "error: an HTTP status is a number from 100 to 999"),
            (
                #"{"record":"{","body":{"ret":0}}"#,
                "reject value.not_json dead_lettered undecodable"
            ),
            (#"{"record":{},"body":{"ret":0}}"#, "reject app_id.missing dead_lettered invalid"),
            (Self.line(#""body":{"ret":-15}"#) + "\r", "reject gdt.-15 rejected"),
        ])
    }

    @Test func givesTheResultRecordOfWhatIsSettled() throws {
        let command = try WorkerCommand(Self.one, input: Array(#"{"ret":-15,"msg":"bad muid"}"#.utf8))
        let result = try #require(command.objects.first?["result"] as? NSDictionary)
        let outcome = try #require(result["outcome"] as? NSDictionary)
        #expect(outcome["fate"] as? String == "rejected")
        #expect(outcome["attempts"] as? Int == 1)
        #expect((outcome["reason"] as? NSDictionary)?["code"] as? String == "gdt.-15")
        #expect((result["gdt"] as? NSDictionary)?["message"] as? String == "bad muid")
        #expect(result["appId"] as? String == "112233")
        #expect(!command.output.contains("0f074dc8e1f0547310e729032ac0730b"))
    }

    @Test(arguments: [
        ("", 1), ("{\"ret\":0}", 1), ("{\"ret\":0}\n", 1), ("{\n\"ret\":0\n}\n", 1),
        ("{\"ret\":0}\r\n{\"ret\":-1}\n", 2), ("<html>\n\n</html>\n", 3),
    ])
    func takesABodyForEachLineOrOneOfManyLines(input: String, count: Int) throws {
        let command = try WorkerCommand(Self.one, input: Array(input.utf8))
        #expect(command.status == 0 && command.objects.count == count)
    }

    @Test func takesTheAnswerFromItsOptions() throws {
        let cases: [([String], String)] = [
            (["--status", "429", "--header", "Retry-After: 5"], "retry http.429 5000"),
            (["--status", "500", "--header", "X:y", "--header", "Retry-After:7"], "retry http.500 7000"),
            (["--failure", "cut"], "retry transport.cut_after_send"),
            (["--attempt", "5"], "retry gdt.not_an_answer"),
        ]
        for (options, words) in cases {
            let command = try WorkerCommand(Self.one + options)
            #expect(command.objects.map(Self.words) == [words])
        }
    }

    @Test(arguments: [
        (["--header", "nonsense"], "a header is given as Name:value"),
        (["--status", "42"], "an HTTP status is a number from 100 to 999"),
        (["--failure", "sleepy"], "a failure is one of resolve,"),
        (["--record", "no-such-file.json"], "no-such-file.json cannot be read"),
    ])
    func refusesWhatCannotBeMeant(options: [String], complaint: String) throws {
        let command = try WorkerCommand(Self.arguments + options)
        #expect(command.status == 64 && command.output.isEmpty)
        #expect(command.complaints.contains(complaint), "\(command.complaints)")
    }

    @Test func readsTheRecordFromAFile() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(Array(PlanCommandTests.good.utf8), to: "record.json")
        let command = try WorkerCommand(
            Self.arguments + ["--record", file.path],
            input: Array(#"{"ret":0}"#.utf8)
        )
        #expect(command.objects.map(Self.words) == ["answer succeeded"])
    }
}
