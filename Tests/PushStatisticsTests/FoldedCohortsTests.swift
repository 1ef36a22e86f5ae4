import ServiceKit
import Testing
import WireFormats

@testable import PushStatistics

/// Messages that a single device tells of: they cost little, and no event of theirs is lost by it.
@Suite struct FoldedCohortsTests {
    private static let start: Int64 = 1_716_595_200_000

    private static func arrival(
        _ message: String,
        _ device: String = "device",
        kind: PushEvent.Kind = .arrived,
        sent: Int64? = nil,
        at server: Int64 = start
    ) -> PushEvent {
        PushEvent(
            kind,
            provider: "fcm",
            appBundle: "com.example.app",
            messageID: message,
            deviceID: device,
            sentMS: sent,
            serverMS: server
        )
    }

    static func ledger(newMessages: Int = 1_000_000) -> ArrivalLedger {
        ArrivalLedger(
            source: 0,
            rules: CohortRules(newMessages: newMessages),
            pace: .init(first: .zero),
            seed: 7
        )
    }

    private static func uuid(_ random: inout SplitMix64) -> String {
        let digits = String(random.next() | 1 << 63, radix: 16) + String(random.next() | 1 << 63, radix: 16)
        return "\(digits.prefix(8))-\(digits.dropFirst(8).prefix(4))-\(digits.dropFirst(12).prefix(4))-"
            + "\(digits.dropFirst(16).prefix(4))-\(digits.dropFirst(20).prefix(12))"
    }

    /// One device with invented ids stopped a worker with 16 MiB: each took 1,016 bytes, and as a part 1,800.
    @Test func aMessageOfOneDeviceTakesAHundredBytes() throws {
        let ledger = Self.ledger()
        let combination = Combination(pace: .init(first: .zero))
        var random = SplitMix64(seed: 1)
        let count = 20_000
        for number in 0..<count {
            _ = ledger.count(Self.arrival(Self.uuid(&random)), now: Self.start)
            guard number % 1_000 == 999 else { continue }
            ledger.collect(now: Self.start, progress: Self.start) { _ in
            } part: { part in
                combination.take(part, now: Self.start)
            }
            combination.collect(now: Self.start) { _, _ in }
        }
        #expect(ledger.cohortCount == count && combination.messageCount == count)
        let (held, added) = (ledger.byteCount / count, combination.byteCount / count)
        print("bytes for a message of one device: \(held) where it is counted, \(added) where it is added up")
        #expect(held <= 100 && added <= 100, "\(held), \(added)")
    }

    /// Against a ledger that never has a moment to fold anything.
    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func foldingChangesNothingThatIsTold(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let folding = FleetOfLedgers(partitions: 1, rules: CohortRules(newMessages: 1_000_000))
        let steady = FleetOfLedgers(partitions: 1, rules: CohortRules(newMessages: 1_000_000))
        var now = Self.start
        for _ in 0..<3_000 {
            now += Int64(random.next() % 1_000)
            let kind = PushEvent.Kind.allCases[Int(random.next() % 5)]
            let sent = random.next() % 2 == 0 ? Self.start : nil
            var event = Self.arrival(
                "m\(random.next() % 300)",
                "d\(random.next() % 3)",
                kind: kind,
                sent: sent,
                at: now
            )
            if kind == .sent, random.next() % 3 == 0 { event.acceptance = .rejected(reason: "r") }
            event.campaignID = random.next() % 2 == 0 ? "" : "c"
            #expect(folding.count(event, now: now).standing == steady.count(event, now: now).standing)
            if random.next() % 4 == 0 { folding.collect(now: now) }
            if random.next() % 400 == 0 {
                folding.collect(now: now)
                folding.restart(0, now: now)
            }
        }
        for end in [now, now + 80 * 3_600_000] {
            folding.collect(now: end)
            steady.collect(now: end)
            folding.collect(now: end)
            steady.collect(now: end)
            #expect(folding.statistics.count > 200 && folding.statistics.count == steady.statistics.count)
            for (key, told) in steady.statistics {
                var one = told
                var other = try #require(folding.statistics[key])
                (one.version, one.updatedMS) = (0, 0)
                (other.version, other.updatedMS) = (0, 0)
                #expect(one == other)
            }
        }
        #expect(folding.statistics.values.allSatisfy { $0.isComplete })
        for versions in folding.versions.values { #expect(versions == versions.sorted()) }
    }

    @Test func aMessageThatADeviceInventedIsForgottenSoonAndAnHonestOneLate() {
        let ledger = Self.ledger()
        _ = ledger.count(Self.arrival("invented"), now: Self.start)
        _ = ledger.count(Self.arrival("honest", kind: .sent), now: Self.start)
        func collect(_ now: Int64) {
            ledger.collect(now: now, progress: now, change: { _ in }, part: { _ in })
        }
        let end = Self.start + 73 * 3_600_000
        for time in [Self.start, end, end + 71 * 3_600_000] { collect(time) }
        #expect(ledger.cohortCount == 2)
        collect(end + 73 * 3_600_000)
        #expect(ledger.cohortCount == 1)
        collect(end + 30 * 86_400_000)
        #expect(ledger.cohortCount == 0 && ledger.nextDue == nil)
    }

    // MARK: - How many may begin

    @Test func oneDeviceBeginsOnlySoManyMessagesAndHonestOnesGoFirst() {
        let ledger = Self.ledger(newMessages: 10)
        func begins(_ event: PushEvent, at now: Int64 = Self.start) -> Bool {
            !ledger.count(event, now: now).isBeyondLimit
        }
        let invented = (0..<5_000).count { begins(Self.arrival("invented-\($0)")) }
        #expect(invented == 1_000)
        // A message that its sender has told of.
        #expect(begins(Self.arrival("campaign", kind: .sent)))
        #expect(begins(Self.arrival("campaign")))
        // A second device: the message is no invention of one.
        #expect(!begins(Self.arrival("crowd", "a")) && !begins(Self.arrival("crowd", "a")))
        #expect(begins(Self.arrival("crowd", "b")) && begins(Self.arrival("crowd", "c")))
        // Another app, and what has begun already.
        var other = Self.arrival("other")
        other.appBundle = "com.example.other"
        #expect(begins(other) && begins(Self.arrival("invented-0", "b")))
        // As many as the rate says, later.
        let later = (0..<500).count { begins(Self.arrival("later-\($0)"), at: Self.start + 5_000) }
        #expect(later == 50)
        // Events without a device begin no more than those.
        var header = PushEventHeader(of: Self.arrival("nobody"))
        header.deviceID = ""
        let known = ledger.cohortCount
        ledger.count(withoutDevice: header, now: Self.start + 5_000)
        #expect(ledger.cohortCount == known)
    }

    /// Five devices that invent the names of apps take up no more, whether or not memory is short.
    @Test(arguments: [false, true])
    func inventedAppsTakeNoMoreMemory(isCrowded: Bool) {
        var limit = NewMessageLimit(rate: 1)
        for app in 0..<2_000 {
            let key = CohortKey(provider: "fcm", appBundle: "invented-\(app)", messageID: "m")
            for device in UInt64(1)...5 {
                _ = limit.admits(key, device: device << 58, isCrowded: isCrowded, at: Self.start)
            }
        }
        let (ownBuckets, refused) = (2 * 65 * 100, 2_000 * 24)
        #expect(limit.byteCount <= ownBuckets + refused)
    }

    @Test func whileMemoryIsShortASingleDeviceBeginsNothing() {
        let ledger = Self.ledger()
        ledger.isCrowded = true
        #expect(ledger.count(Self.arrival("a"), now: Self.start).isBeyondLimit)
        #expect(!ledger.count(Self.arrival("b", kind: .sent), now: Self.start).isBeyondLimit)
        // Nor does a second one: a single device can have any number of ids.
        #expect(ledger.count(Self.arrival("a", "other"), now: Self.start).isBeyondLimit)
    }
}
