import Foundation
import Testing

/// `fleet demo`, ended in ways that leave no time to say goodbye.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct DemoTests {
    @Test(arguments: [SIGKILL, SIGTERM])
    func nobodySurvivesTheDemo(signal: Int32) throws {
        let demo = try FleetUnderTest(["demo"])
        _ = try #require(demo.waitForWorker())
        demo.send(signal)
        _ = demo.exitStatus()
        #expect(demo.survivors(atMost: .seconds(20)) == [])
    }
}
