import Foundation
import Testing
import WorkerTestSupport

/// The commands of the README do what it says, one block after the other, in one shell.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct ReadmeTests {
    /// The blocks of shell commands in the section about the first record.
    private func commands() throws -> [Substring] {
        let file = Documents.root.appending(path: "README.md")
        let text = try String(contentsOf: file, encoding: .utf8)
        let section = try #require(text.firstMatch(of: #/(?s)\n## Publish the first record\n(.*?)\n## /#)).1
        return section.matches(of: #/(?s)\n```sh\n(.*?)\n```\n/#).map(\.1)
    }

    @Test func theFirstRecordIsPublishedAsTheReadmeSays() throws {
        let commands = try self.commands()
        #expect(commands.count == 3)
        let programs = URL(filePath: try WorkerUnderTest.path(of: "fleet")).deletingLastPathComponent().path()
        let (folder, temporary) = (try TemporaryFolder(), try TemporaryFolder())
        let output = try ProcessOutput()
        // Job numbers are those of an interactive shell, and the programs are where the tests are.
        let script = "set -m; cd '\(folder.path)'\n\(commands.joined(separator: "\n"))"
            .replacing("$PWD/.build/debug", with: programs)
        let shell = try TestProcess(
            "/bin/bash",
            ["-c", script],
            environment: ProcessInfo.processInfo.environment.merging(["TMPDIR": temporary.path]) { $1 },
            output: .pipe(output.pipe),
            error: .pipe(output.pipe)
        )
        #expect(shell.wait() == 0)
        #expect(output.waitForEnd(atMost: .seconds(30)), "\(output.text)")
        #expect(output.text.contains("#    It works: succeeded.\n"), "\(output.text)")
        #expect(output.text.contains("\n1 record published to activation\n"), "\(output.text)")
        // One result of `fleet try`, and one of the commands by hand; the worker ends as it should.
        let results = output.text.matches(of: #/"fate":"succeeded"/#)
        #expect(results.count == 2, "\(output.text)")
        #expect(output.text.contains("\nexit code 0\n"), "\(output.text)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }
}
