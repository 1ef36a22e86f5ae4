import Foundation
import Testing

/// `flotilla-lab demo`, played to its end, and ended in ways that leave no time to say goodbye.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct DemoTests {
    private static let workers = [
        "activation-worker", "devicecheck-worker", "receipt-worker", "push-arrival-worker", "gateway",
    ]

    @Test func accountsForEveryRecordOfEveryWorker() throws {
        let demo = try CommandUnderTest(["demo"])
        #expect(demo.exitStatus() == 0, "\(demo.text)")
        let text = demo.text
        for (name, records) in [
            ("activation", 98), ("devicecheck", 27), ("receipt", 28), ("push-arrival", 573),
            ("sdk-upload", 34),
        ] {
            let head = name + String(repeating: " ", count: 13 - name.count)
            for claim in [
                "each of the \(records) records has one outcome, the expected one",
                "read again from the beginning, both topics say the same", "the worker's own counters agree",
            ] {
                #expect(text.contains("\n\(head)✓ \(claim)\n"), "\(name): \(text)")
            }
        }
        #expect(text.contains("Every record of every worker is accounted for: 760 of 760.\n"))
        #expect(text.contains("\npush-arrival The funnel of spring-sale, final, version "))
        #expect(text.contains("85.3 % of accepted, 87.6 % of eligible\n"))
        #expect(
            text.contains(
                "\npush-arrival ✓ the statistics of 4 messages are those of what was published\n"
            )
        )
        for claim in [
            "the 74 events of all uploads are on sdk-events, each once",
            "GDT has the 8 of the iOS app, each once",
            "the Marketing API has 14 conversions and a callback, each once by its id",
        ] { #expect(text.contains("\nsdk-upload   ✓ \(claim)\n"), "\(text)") }
        #expect(!text.contains("✗") && !text.contains("\u{1B}"))
        #expect(demo.survivors() == [])
        #expect(demo.leftovers == [])
    }

    /// Ctrl-C while the workers join, and in the middle of the scenes.
    @Test(arguments: ["receipt-worker", "GDT refuses every connection"])
    func leavesNothingBehindWhenInterrupted(words: String) throws {
        let demo = try CommandUnderTest(["demo"])
        if Self.workers.contains(words) {
            for worker in Self.workers { _ = try #require(demo.waitFor(worker, "run")) }
        } else {
            #expect(demo.waitForLine(words), "\(demo.text)")
        }
        demo.send(SIGINT)
        #expect(demo.exitStatus() == 130, "\(demo.text)")
        #expect(demo.text.hasSuffix("Interrupted: stopping everything that was started.\n"))
        #expect(demo.survivors() == [])
        #expect(demo.leftovers == [])
    }

    /// A demo that loses a worker says so, and is not taken for one in which all was well.
    @Test func failsWithAWorker() throws {
        let demo = try CommandUnderTest(["demo"])
        let worker = try #require(demo.waitFor("receipt-worker", "run"))
        #expect(demo.waitForLine("\nactivation "), "\(demo.text)")
        kill(worker, SIGKILL)
        #expect(demo.exitStatus() == 1, "\(demo.text)")
        #expect(demo.text.contains("receipt-worker has ended"))
        #expect(demo.survivors() == [])
        #expect(demo.leftovers == [])
    }

    @Test(arguments: [SIGKILL, SIGTERM])
    func nobodySurvivesTheDemo(signal: Int32) throws {
        let demo = try CommandUnderTest(["demo"])
        for worker in Self.workers { _ = try #require(demo.waitFor(worker, "run")) }
        demo.send(signal)
        _ = demo.exitStatus()
        #expect(demo.survivors() == [])
    }
}
