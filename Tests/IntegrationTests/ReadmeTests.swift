import Foundation
import Testing
import WorkerTestSupport

/// The commands of the README and of an article do what they say, one block after the other, in one shell.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct ReadmeTests {
    /// The blocks of shell commands in a section of a document.
    private func commands(of heading: String, in path: String) throws -> [Substring] {
        let file = Documents.root.appending(path: path)
        let text = try String(contentsOf: file, encoding: .utf8)
        let start = try #require(text.firstRange(of: "\n\(heading)\n")?.upperBound)
        let level = heading.prefix { $0 == "#" }
        let end = text[start...].firstRange(of: "\n\(level) ")?.lowerBound ?? text.endIndex
        return text[start..<end].matches(of: #/(?s)\n```sh\n(.*?)\n```\n/#).map(\.1)
    }

    /// Runs commands in an empty folder, and returns what they print. They leave nothing behind.
    private func run(_ commands: [Substring]) throws -> String {
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
        #expect(output.waitForEnd(), "\(output.text)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
        return output.text
    }

    @Test func theFirstRecordIsPublishedAsTheReadmeSays() throws {
        let commands = try self.commands(of: "## Publish the first record", in: "README.md")
        #expect(commands.count == 3)
        let output = try self.run(commands)
        #expect(output.contains("#    It works: succeeded.\n"), "\(output)")
        #expect(output.contains("\n1 record published to activation\n"), "\(output)")
        // One result of `fleet try`, and one of the commands by hand; the worker ends as it should.
        #expect(output.matches(of: #/"fate":"succeeded"/#).count == 2, "\(output)")
        #expect(output.contains("\nexit code 0\n"), "\(output)")
    }

    @Test func twoRoutesAreTriedAsTheArticleSays() throws {
        let article = "Sources/Workers/ActivationWorker/ActivationWorker.docc/MarketingAPI.md"
        let commands = try self.commands(of: "### Choose a route", in: article)
        #expect(commands.count == 2)
        let output = try self.run(["export PATH=\"$PWD/.build/debug:$PATH\""] + commands)
        #expect(output.matches(of: #/"fate":"succeeded"/#).count == 2, "\(output)")
        for route in ["marketing_api", "callback"] {
            #expect(output.matches(of: try Regex("\"route\":\"\(route)\"")).count == 1, "\(output)")
        }
        #expect(output.contains("\nexit code 0\n"), "\(output)")
    }
}
