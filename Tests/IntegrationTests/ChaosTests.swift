import Foundation
import Testing

/// `flotilla-lab chaos`, short; and ended in the middle.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct ChaosTests {
    @Test(arguments: ["at-least-once", "exactly-once"])
    func aFleetKeepsItsPromisesUnderChaos(delivery: String) throws {
        let chaos = try CommandUnderTest([
            "chaos", "--seconds", "20", "--seed", "1", "--rate", "60", "--delivery", delivery,
        ])
        let status = chaos.exitStatus()
        #expect(chaos.waitForLine("Clean."), "\(chaos.text)")
        #expect(status == 0, "\(chaos.text)")
        #expect(chaos.survivors() == [])
        print(chaos.text)
    }

    /// Beside an adversary, and receipt workers whose sandbox is dead. Honest users are judged by the clock, so the load is
    /// small and the bound is one for a machine that is far too busy; long runs have the real one.
    @Test func aFleetKeepsItsPromisesBesideAnAdversaryAndADeadEndpoint() throws {
        let chaos = try CommandUnderTest([
            "chaos", "--adversary", "--seconds", "20", "--seed", "1", "--rate", "60",
            "--late-after", "180",
        ])
        let status = chaos.exitStatus()
        #expect(chaos.waitForLine("Clean."), "\(chaos.text)")
        #expect(chaos.waitForLine("the store's sandbox refuses every connection"), "\(chaos.text)")
        #expect(chaos.waitForLine("the topics have 10 partitions"), "\(chaos.text)")
        #expect(chaos.waitForLine("GDT gets to know the account"), "\(chaos.text)")
        #expect(status == 0, "\(chaos.text)")
        #expect(chaos.survivors() == [])
        print(chaos.text)
    }

    /// Uploads through gateway and intake, and callbacks: the Marketing API has each conversion once.
    @Test func uploadsReachTheMarketingAPIOnceUnderChaos() throws {
        let chaos = try CommandUnderTest([
            "chaos", "--routes", "--seconds", "20", "--seed", "1", "--rate", "40",
        ])
        let status = chaos.exitStatus()
        #expect(chaos.waitForLine("Clean."), "\(chaos.text)")
        #expect(status == 0, "\(chaos.text)")
        #expect(chaos.survivors() == [])
        print(chaos.text)
    }

    /// Also with a worker that stands still at that moment, and would never hear of its end by itself.
    @Test(arguments: [SIGKILL, SIGTERM])
    func nobodySurvivesChaos(signal: Int32) throws {
        let chaos = try CommandUnderTest(["chaos", "--seconds", "20", "--seed", "1"])
        try #require(chaos.waitForLine("SIGSTOP worker"), "\(chaos.text)")
        // Only its leash can end a worker that stands still, so the leash goes on.
        #expect(chaos.waitForStandstill("activation-worker", "run"), "\(chaos.text)")
        #expect(!chaos.states("flotilla-lab", "leash").contains("T"))
        chaos.send(signal)
        let status = chaos.exitStatus()
        // A process that does not hear that it may go is killed after 30 seconds.
        #expect(!chaos.text.contains("and is killed"), "\(chaos.text)")
        #expect(status == (signal == SIGTERM ? 130 : 128 + SIGKILL))
        #expect(chaos.survivors() == [])
    }
}
