import Foundation
import Testing
import WorkerTestSupport

/// The dead-letter tool in a terminal of 80 columns: each flow from the first look to the last outcome.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct TerminalTests {
    private let escape = "\u{1B}["

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
}
