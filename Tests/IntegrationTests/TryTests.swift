import Foundation
import Testing
import WorkerTestSupport

/// `fleet try`, played to its end, kept, and ended on the way.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct TryTests {
    @Test(arguments: [
        ("activation", 1, #""gdt":{"ret":0"#), ("devicecheck", 1, #""result":"updated""#),
        ("receipt", 1, #""verdict":"valid""#), ("push-arrival", 2, #""result":"accepted""#),
    ])
    func showsTheFirstResultOfEachWorker(worker: String, records: Int, answer: String) throws {
        let run = try CommandUnderTest(["try", worker], of: "fleet")
        #expect(run.exitStatus() == 0, "\(run.text)")
        let fates = Array(repeating: "succeeded", count: records).joined(separator: ", ")
        #expect(run.waitForLine("#    It works: \(fates).\n"), "\(run.text)")
        #expect(run.text.contains(answer), "\(run.text)")
        #expect(run.survivors() == [])
        #expect(run.leftovers == [])
        #expect(!run.text.contains("\u{1B}"))
    }

    /// The output is what the user copies: a shell that is given all of it comes to the same result.
    @Test(arguments: ["activation", "receipt"])
    func theOutputIsAScript(worker: String) throws {
        let run = try CommandUnderTest(["try", worker], of: "fleet")
        #expect(run.exitStatus() == 0, "\(run.text)")
        #expect(run.waitForLine("is removed\n"))
        let folder = try TemporaryFolder()
        let output = try ProcessOutput()
        let shell = try TestProcess(
            "/bin/bash",
            ["-c", run.text],
            environment: ProcessInfo.processInfo.environment.merging(["TMPDIR": folder.path]) { $1 },
            output: .pipe(output.pipe),
            error: .pipe(output.pipe)
        )
        #expect(shell.wait() == 0)
        #expect(output.waitForEnd(), "\(output.text)")
        #expect(output.text.contains(#""fate":"succeeded""#), "\(output.text)")
    }

    @Test func keepsEverythingUntilTheUserStopsIt() throws {
        let run = try CommandUnderTest(["try", "activation", "--keep"], of: "fleet")
        #expect(run.waitForLine("until Ctrl-C. In another terminal:"), "\(run.text)")
        #expect(run.waitForLine("tail -f activation-worker.log\n"), "\(run.text)")
        _ = try #require(run.waitForWorker())
        let folder = try #require(run.leftovers.first)
        let mode = try FileManager.default.attributesOfItem(atPath: run.file(folder))[.posixPermissions]
        #expect(mode as? Int == 0o700)
        run.send(SIGINT)
        #expect(run.exitStatus() == 0, "\(run.text)")
        #expect(run.survivors() == [])
        #expect(run.leftovers == [])
    }

    @Test func leavesNothingBehindWhenItIsInterrupted() throws {
        let run = try CommandUnderTest(["try", "devicecheck"], of: "fleet")
        _ = try #require(run.waitFor("devicecheck-worker", "run"))
        run.send(SIGINT)
        #expect(run.exitStatus() == 130, "\(run.text)")
        #expect(run.survivors() == [])
        #expect(run.leftovers == [])
    }

    /// A worker that dies is told of, and is no success.
    @Test func failsWithTheWorker() throws {
        let run = try CommandUnderTest(["try", "activation", "--keep"], of: "fleet")
        #expect(run.waitForLine("until Ctrl-C."), "\(run.text)")
        kill(try #require(run.waitForWorker()), SIGKILL)
        #expect(run.exitStatus() == 1, "\(run.text)")
        #expect(run.waitForLine("activation-worker has ended"), "\(run.text)")
        #expect(run.survivors() == [])
        #expect(run.leftovers == [])
    }

    @Test func nobodySurvivesIt() throws {
        let run = try CommandUnderTest(["try", "receipt"], of: "fleet")
        _ = try #require(run.waitFor("receipt-worker", "run"))
        run.send(SIGKILL)
        _ = run.exitStatus()
        #expect(run.survivors() == [])
    }

    @Test func anUnknownWorkerIsRefused() throws {
        let run = try CommandUnderTest(["try", "gateway"], of: "fleet")
        #expect(run.exitStatus() == 64)
        #expect(run.waitForLine("No worker is called 'gateway'"), "\(run.text)")
    }
}
