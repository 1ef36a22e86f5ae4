import Testing
import WireFormats

@testable import PushStatistics

/// The state while memory is short. A device chooses its id and its app as freely as the ids of messages, and none of
/// them stops the statistics.
@Suite struct ShortMemoryTests {
    private static let start: Int64 = 1_716_595_200_000

    private static func event(
        _ kind: PushEvent.Kind = .arrived,
        of message: String,
        on device: String,
        app: String = "com.example.app"
    ) -> PushEvent {
        PushEvent(
            kind,
            provider: "fcm",
            appBundle: app,
            messageID: message,
            deviceID: device,
            serverMS: self.start
        )
    }

    /// Two ids were as good as two devices: a million messages of theirs filled 1 GiB, for three days.
    @Test func inventedDevicesTakeNoMemoryThatIsShort() {
        let ledger = FoldedCohortsTests.ledger(newMessages: 10)
        ledger.isCrowded = true
        var begun = 0
        for number in 0..<100_000 {
            for device in ["one", "other"] {
                let judgement = ledger.count(Self.event(of: "m\(number)", on: device), now: Self.start)
                begun += judgement.isBeyondLimit ? 0 : 1
            }
        }
        #expect(begun == 0 && ledger.cohortCount == 0)
        // A refused message is remembered in 24 bytes, and 8,192 of them are.
        #expect(ledger.byteCount <= 200_000)
        for event in [
            Self.event(.sent, of: "honest", on: "phone"), Self.event(of: "honest", on: "phone"),
            Self.event(of: "honest", on: "another"),
        ] {
            #expect(ledger.count(event, now: Self.start).standing == .accepted)
        }
    }

    @Test func whileMemoryIsShortAKnownMessageGrowsBySendersAlone() {
        let ledger = FoldedCohortsTests.ledger(newMessages: 10)
        func judgement(_ event: PushEvent) -> Judgement { ledger.count(event, now: Self.start) }
        #expect(judgement(Self.event(of: "m", on: "a")).standing == .accepted)
        ledger.collect(now: Self.start, progress: Self.start, change: { _ in }, part: { _ in })
        let bytes = ledger.byteCount
        ledger.isCrowded = true
        #expect(judgement(Self.event(of: "m", on: "b")).isBeyondLimit)
        #expect(ledger.byteCount <= bytes + 24)
        // A device that is known takes no more memory.
        #expect(judgement(Self.event(.opened, of: "m", on: "a")).standing == .accepted)
        #expect(judgement(Self.event(of: "m", on: "a")).standing == .duplicate)
        #expect(judgement(Self.event(.sent, of: "m", on: "phone")).standing == .accepted)
        #expect(judgement(Self.event(of: "m", on: "b")).standing == .accepted)
    }

    @Test func whileMemoryIsShortManyDevicesCountSecond() {
        let ledger = FoldedCohortsTests.ledger(newMessages: 10)
        ledger.isCrowded = true
        let admitted = ["a", "b", "c", "d", "f", "g", "h", "a"].map { device in
            !ledger.count(Self.event(of: "m", on: device), now: Self.start).isBeyondLimit
        }
        #expect(admitted == [false, false, false, false, true, true, true, true])
    }

    /// The names of 64 apps had the buckets for the life of the process, and honest apps shared one with an attacker.
    @Test func anIdleAppGivesItsPlaceToAnother() {
        var limit = NewMessageLimit(rate: 10)
        func begins(_ app: String, _ message: Int, after milliseconds: Int64) -> Bool {
            let key = CohortKey(provider: "fcm", appBundle: app, messageID: "m\(message)")
            return limit.admits(key, device: 1, isCrowded: false, at: Self.start + milliseconds)
        }
        for app in 0..<64 { #expect(begins("invented-\(app)", 0, after: 0)) }
        // All further apps share one bucket, and one of them empties it.
        #expect((0..<1_001).count { begins("further", $0, after: 0) } == 1_000)
        #expect(!begins("honest", 0, after: 0))
        #expect((0..<1_000).count { begins("honest", $0, after: 100_000) } == 1_000)
        // There are as many buckets as before.
        #expect(limit.byteCount <= 65 * 100 + 2 * 24)
    }

    /// An event without a message id needed no more than the name of an app, which a device can invent.
    @Test func eventsThatNameNoMessageBeginNoMoreThanOthers() {
        let ledger = FoldedCohortsTests.ledger(newMessages: 1)
        func begun() -> Int {
            (0..<2_000).count { app in
                let event = Self.event(of: "", on: "device", app: "invented-\(app)")
                return !ledger.count(event, now: Self.start).isBeyondLimit
            }
        }
        ledger.isCrowded = true
        #expect(begun() == 0)
        ledger.isCrowded = false
        // One of each app with a bucket of its own, and a hundred of all others.
        #expect(begun() == 64 + 100)
    }
}
