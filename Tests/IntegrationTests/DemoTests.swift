import Foundation
import Testing

/// `fleet demo`, ended in ways that leave no time to say goodbye.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct DemoTests {
    /// The second Ctrl-C once killed the leash and left the worker under it behind.
    @Test func nobodySurvivesTheSecondWishToStop() throws {
        let demo = try DemoUnderTest()
        let worker = try #require(demo.waitForWorker())
        // A worker that cannot hear its SIGTERM, as one that hangs.
        kill(worker, SIGSTOP)
        demo.send(SIGINT)
        #expect(demo.waitForLine("Interrupted"))
        #expect(demo.isRunning)
        demo.send(SIGINT)
        #expect(demo.exitStatus() == 130)
        #expect(demo.survivors(atMost: .seconds(5)) == [])
    }

    @Test(arguments: [SIGKILL, SIGTERM])
    func nobodySurvivesTheDemo(signal: Int32) throws {
        let demo = try DemoUnderTest()
        _ = try #require(demo.waitForWorker())
        demo.send(signal)
        _ = demo.exitStatus()
        #expect(demo.survivors(atMost: .seconds(20)) == [])
    }
}
