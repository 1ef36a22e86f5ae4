import Foundation
import Records
import Testing
import WorkerTestSupport

/// The dead-letter tool in a terminal of 80 columns: each flow from the first look to the last outcome.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct TerminalTests {
    private let escape = "\u{1B}["
    /// A part of the device's id in each letter.
    private static let device = "496A-47FD-9941-DF1FC4E6484A"

    /// Letters of two groups, some with a reason, a key and a value that are wider than the terminal.
    private func letters(_ cluster: TestCluster) throws {
        let id = try DeadLetters.clusterID(cluster)
        let wide = String(repeating: "configuration.unknown_app.", count: 6)
        try cluster.publish(
            (0..<12).map { DeadLetters.letter($0, cluster, clusterID: id) }
                + (12..<20).map { DeadLetters.letter($0, cluster, clusterID: id, reason: wide) }
        )
    }

    /// Runs a command that prints a table, and checks that no line of the table is wider than the terminal. A terminal
    /// wraps sentences by itself, and a command to copy has to stay whole.
    private func table(_ tool: DeadLetterToolUnderTest, _ arguments: [String], titled title: String) throws
        -> String
    {
        let (code, text) = try tool.runInTerminal(arguments)
        let lines = PseudoTerminal.lines(of: text).filter { $0.firstMatch(of: /^\S+ {2,}/) != nil }
        #expect(code == 0 && lines.count >= 2, "\(arguments): \(text)")
        #expect(lines.first?.contains(title) == true, "\(arguments): \(text)")
        #expect(lines.allSatisfy { $0.count <= 80 }, "\(arguments): \(lines.filter { $0.count > 80 })")
        return text
    }

    @Test func eachTableFitsEightyColumnsAndIsColouredOnlyIfThatIsWanted() async throws {
        let cluster = try await TestCluster.transactional()
        let tool = try DeadLetterToolUnderTest(cluster)
        try self.letters(cluster)
        let groups = try self.table(tool, ["groups"], titled: "reason")
        #expect(groups.contains(self.escape) && groups.contains("gdt.-2"))
        _ = try self.table(tool, ["list"], titled: "reason")
        for field in ["reason", "key", "partition"] {
            _ = try self.table(tool, ["groups", "--by", field], titled: "letters")
        }
        let plain = try tool.runInTerminal(["groups"], environment: ["NO_COLOR": "1"])
        #expect(plain.0 == 0 && !plain.1.contains(self.escape), "\(plain)")
        let dumb = try tool.runInTerminal(["groups"], environment: ["TERM": "dumb"])
        #expect(dumb.0 == 0 && !dumb.1.contains(self.escape), "\(dumb)")
        try await cluster.end()
    }

    /// From "what broke?" to "all mended", as the README tells it.
    @Test func aGroupIsLookedAtMendedReplayedAndDiscarded() async throws {
        let cluster = try await TestCluster.transactional()
        let tool = try DeadLetterToolUnderTest(cluster)
        try self.letters(cluster)
        let listed = try tool.run(["list", "--reason", "gdt.-2", "--json"])
        let id = try #require(listed.output.firstMatch(of: /"id"\s*:\s*"([^"]+)"/)).1
        func step(_ arguments: [String], status: Int32 = 0, saying words: String) throws -> String {
            let (code, text) = try tool.runInTerminal(arguments)
            #expect(code == status && text.contains(words), "\(arguments): \(code) \(text)")
            return text
        }
        _ = try step(["show", String(id)], saying: "gdt.-2")
        let choice = ["--reason", "gdt.-2"]
        _ = try step(["edit"] + choice + ["--set", "appType = ANDROID"], saying: "Would replay 12 letters")
        _ = try step(["replay"] + choice, saying: "Would replay 12 letters")
        let sent = try step(
            ["replay"] + choice + ["--go", "--because", "the keys are mended"],
            saying: "12 of 12 letters replayed"
        )
        // A person sees the progress, and a script that keeps the output does not.
        #expect(sent.contains("\rReplayed "))
        _ = try step(["outcomes"], status: 3, saying: "12 open")
        _ = try step(["discard"] + choice, status: 4, saying: "Nothing matches.")
        let others = ["--state", "open"]
        _ = try step(["discard"] + others, saying: "8 letters would be discarded")
        _ = try step(
            ["discard"] + others + ["--go", "--because", "a test"],
            saying: "8 of 8 letters discarded"
        )
        _ = try step(
            ["restore", "--state", "discarded", "--go", "--because", "needed after all"],
            saying: "8 of 8 letters brought back"
        )
        _ = try step(["audit"], saying: "because needed after all")
        try await cluster.end()
    }

    /// The flows beside replays: a look behind the masks, notes, a group that is handed over, an export, one letter that is
    /// mended by hand, a canary, and a replay that begins later.
    @Test func theFlowsBesideReplaysWorkInATerminal() async throws {
        let cluster = try await TestCluster.transactional()
        let tool = try DeadLetterToolUnderTest(cluster)
        try self.letters(cluster)
        func step(_ arguments: [String], status: Int32 = 0, saying words: String) throws -> String {
            let (code, text) = try tool.runInTerminal(arguments)
            #expect(code == status && text.contains(words), "\(arguments): \(code) \(text)")
            return text
        }
        let listed = try tool.run(["list", "--reason", "gdt.-2", "--json"])
        let id = String(try #require(listed.output.firstMatch(of: /"id"\s*:\s*"([^"]+)"/)).1)
        let group = String(
            try #require(try step(["show", id], saying: "gdt.-2").firstMatch(of: /g-[0-9a-f]{10}/)).0
        )

        _ = try step(["show", id, "--reveal"], status: 64, saying: "--because")
        let masked = try step(["show", id], saying: "masked")
        let shown = try step(["show", id, "--reveal", "--because", "a complaint"], saying: Self.device)
        #expect(shown != masked && !masked.contains(Self.device) && shown.contains(Self.device))
        _ = try step(["note", group, "the keys are wrong since 03:00"], saying: "the keys are wrong")
        _ = try step(["assign", group, "anna"], saying: "anna looks after \(group).")
        _ = try step(["note", group], saying: "anna looks after this group.")
        _ = try step(["assign", group, "--nobody"], saying: "has nobody to look after it any more")
        _ = try step(["parked"], status: 4, saying: "Nothing is parked.")
        _ = try step(["retention"], saying: "20 open letters")
        #expect(try !step(["export", "--max", "3", "--format", "csv"], saying: ",").contains(Self.device))
        _ = try step(
            ["export", "--max", "3", "--reveal", "--because", "for the provider"],
            saying: Self.device
        )

        let folder = try TemporaryFolder()
        let payload = String(decoding: Activations.good(1, to: cluster.input).value ?? [], as: UTF8.self)
        let file = try folder.write(payload.replacing("IOS", with: "ANDROID"), to: "mended.json")
        let mend = ["edit", id, "--file", file.path, "--because", "an Android phone"]
        _ = try step(mend, saying: "Nothing was replayed. Add --go")
        _ = try step(mend + ["--go"], saying: "1 of 1 letter replayed")

        // The tool has to look at the letters before that time.
        let begin = Date(timeIntervalSinceNow: 10)
        let later = ["--not-before", begin.ISO8601Format(), "--go", "--because", "at night"]
        _ = try step(["replay", "--group", group, "--max", "2"] + later, saying: "Begins at ")
        // The text of the time has no fractions of a second.
        #expect(Date() >= begin.addingTimeInterval(-1))
        // No worker is there, so the canary has no outcome, and the others stay where they are.
        _ = try step(
            ["replay", "--group", group, "--canary", "1", "--canary-wait", "1", "--go", "--because", "try"],
            status: 3,
            saying: "The canary has not succeeded"
        )
        let trail = try step(["audit"], saying: "because at night")
        for reason in ["a complaint", "for the provider", "an Android phone"] {
            #expect(trail.contains(reason))
        }
        try await cluster.end()
    }
}
