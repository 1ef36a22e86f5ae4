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

    private static func ledger(newMessages: Int = 10) -> ArrivalLedger {
        ArrivalLedger(
            source: 0,
            rules: CohortRules(newMessages: newMessages),
            pace: .init(first: .zero),
            seed: 7
        )
    }

    /// Collects everything that is due.
    ///
    /// - Parameter excess: the bytes that the ledger is to give up.
    private static func collect(
        _ ledger: ArrivalLedger,
        after milliseconds: Int64,
        excess: Int = 0
    ) -> (parts: [CohortSnapshot], forgotten: [String]) {
        let now = self.start + milliseconds
        var parts: [CohortSnapshot] = []
        var forgotten: [String] = []
        ledger.collect(
            now: now,
            progress: now,
            excess: excess,
            change: { _ in },
            part: { parts.append($0) },
            forgotten: { forgotten.append($0.messageID) }
        )
        return (parts, forgotten)
    }

    // MARK: - Beginning

    /// Two ids were as good as two devices: a million messages of theirs filled 1 GiB, for three days.
    @Test func inventedDevicesTakeNoMemoryThatIsShort() {
        let ledger = Self.ledger()
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
        let ledger = Self.ledger()
        func judgement(_ event: PushEvent) -> Judgement { ledger.count(event, now: Self.start) }
        #expect(judgement(Self.event(of: "m", on: "a")).standing == .accepted)
        _ = Self.collect(ledger, after: 0)
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
        let ledger = Self.ledger()
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
        #expect((0..<1_000).count { begins("honest", $0, after: 1_000) } == 1_000)
        // There are as many buckets as before.
        #expect(limit.byteCount <= 65 * 100 + 2 * 24)
    }

    /// An event without a message id needed no more than the name of an app, which a device can invent.
    @Test func eventsThatNameNoMessageBeginNoMoreThanOthers() {
        let ledger = Self.ledger(newMessages: 1)
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

    // MARK: - Forgetting

    @Test func theFewestDevicesAndTheOldestMessagesAreForgottenFirst() {
        let ledger = Self.ledger()
        let messages: [(String, Int, Int64)] = [("many", 6, 0), ("young", 2, 1), ("old", 2, 0)]
        for (message, devices, time) in messages {
            for device in 0..<devices {
                _ = ledger.count(Self.event(of: message, on: "d\(device)"), now: Self.start + time)
            }
        }
        _ = ledger.count(Self.event(.sent, of: "sent", on: "d"), now: Self.start)
        _ = Self.collect(ledger, after: 2)
        for (round, (message, arrived)) in [("old", 2), ("young", 2), ("many", 6)].enumerated() {
            let (parts, forgotten) = Self.collect(ledger, after: Int64(3 + round), excess: 1)
            // It is settled as at its end.
            #expect(forgotten == [message] && parts.map(\.key.messageID) == [message])
            #expect(parts.allSatisfy { $0.isClosed && $0.tally.arrived == Int64(arrived) })
        }
        #expect(Self.collect(ledger, after: 9, excess: 1 << 30).forgotten.isEmpty)
        #expect(ledger.cohortCount == 1)
    }

    /// Folded messages, which have one device at most, go before those of two.
    @Test func aFullLedgerGivesUpNoMoreThanItHasTo() {
        let ledger = Self.ledger()
        for number in 0..<1_000 {
            _ = ledger.count(Self.event(of: "one-\(number)", on: "a"), now: Self.start)
        }
        for number in 0..<100 {
            for device in ["a", "b"] {
                _ = ledger.count(Self.event(of: "one-\(number)", on: device), now: Self.start)
            }
        }
        _ = Self.collect(ledger, after: 1)
        let bytes = ledger.byteCount
        let some = Self.collect(ledger, after: 2, excess: 20_000)
        #expect(bytes - ledger.byteCount >= 20_000 && bytes - ledger.byteCount < 30_000)
        #expect(some.forgotten.count > 100 && some.forgotten.count < 600)
        #expect(some.parts.count == some.forgotten.count && some.parts.allSatisfy { $0.tally.arrived == 1 })
        let all = Self.collect(ledger, after: 3, excess: 1 << 30)
        #expect(Set(some.forgotten + all.forgotten).count == 1_000 && ledger.cohortCount == 0)
        #expect(ledger.byteCount < 10_000)
    }

    /// The worker that takes over knows of what was forgotten as little as the one before.
    @Test func whatIsForgottenStaysSoAfterARestart() throws {
        let fleets = (0..<2).map { _ in FleetOfLedgers(partitions: 1, rules: CohortRules()) }
        for fleet in fleets {
            for number in 0..<300 {
                fleet.count(Self.event(of: "one-\(number)", on: "a"), now: Self.start)
                for device in ["a", "b"] {
                    fleet.count(Self.event(of: "two-\(number)", on: device), now: Self.start)
                }
            }
            fleet.count(Self.event(.sent, of: "honest", on: "phone"), now: Self.start)
            fleet.count(Self.event(of: "honest", on: "phone"), now: Self.start)
            fleet.collect(now: Self.start + 1)
            fleet.collect(now: Self.start + 2, excess: 1 << 30)
        }
        fleets[1].restart(0, now: Self.start + 3)
        let end = Self.start + 80 * 3_600_000
        for fleet in fleets {
            #expect(fleet.ledgers[0].cohortCount == 1)
            func standing(_ message: String, _ device: String) -> PushStanding {
                fleet.count(Self.event(of: message, on: device), now: Self.start + 4).standing
            }
            // A message that is heard of again is added to what was told.
            #expect(standing("two-0", "c") == .accepted && standing("honest", "phone") == .duplicate)
            for now in [Self.start + 5, end, end] { fleet.collect(now: now) }
        }
        let told = fleets.map { fleet in
            fleet.statistics.mapValues { statistics in
                var statistics = statistics
                (statistics.version, statistics.updatedMS) = (0, 0)
                return statistics
            }
        }
        #expect(told[0] == told[1] && told[0].count == 601)
        #expect(told[0].values.allSatisfy(\.isComplete))
        let again = try #require(told[0].first { $0.key.messageID == "two-0" }?.value)
        #expect(again.arrived == 3)
    }

    /// A device that invents ids of devices for a message that was really sent.
    @Test func devicesThatNobodySentToAreForgottenLast() throws {
        let ledger = Self.ledger()
        for device in 0..<10 {
            _ = ledger.count(Self.event(.sent, of: "campaign", on: "phone-\(device)"), now: Self.start)
        }
        for device in 0..<20_000 {
            _ = ledger.count(Self.event(of: "campaign", on: "invented-\(device)"), now: Self.start)
        }
        _ = Self.collect(ledger, after: 1)
        let bytes = ledger.byteCount
        #expect(bytes > 20_000 * 16)
        #expect(Self.collect(ledger, after: 2, excess: bytes).forgotten.isEmpty)
        #expect(ledger.deviceCount == 10 && ledger.byteCount < 5_000)
        // Counts stay, and so do the devices of the sender.
        func standing(_ event: PushEvent) -> PushStanding {
            ledger.count(event, now: Self.start + 3).standing
        }
        #expect(standing(Self.event(.sent, of: "campaign", on: "phone-0")) == .duplicate)
        #expect(standing(Self.event(of: "campaign", on: "phone-0")) == .accepted)
        let part = try #require(Self.collect(ledger, after: 3_600_000).parts.last)
        #expect(part.tally.accepted == 10 && part.tally.arrived == 20_001)
    }

    // MARK: - Adding up

    private static func part(
        of message: String,
        _ source: Int32,
        term: Int64 = start,
        accepted: Int64 = 0,
        isClosed: Bool = false
    ) -> CohortSnapshot {
        var tally = Tally(edges: LagHistogram.usualEdges)
        tally.accepted = accepted
        tally.arrived = 1
        return CohortSnapshot(
            key: CohortKey(provider: "fcm", appBundle: "a", messageID: message),
            campaignID: "",
            source: source,
            term: term,
            version: 2,
            isClosed: isClosed,
            tally: tally,
            firstSeen: term,
            lastSeen: term,
            base: 0
        )
    }

    /// An invented message took 3,300 bytes there if two partitions told of it, for 60 days.
    @Test func aFullCombinationForgetsWhatNoSenderHasTold() {
        var parts = [Self.part(of: "honest", 0), Self.part(of: "honest", 1, accepted: 1)]
        for number in 0..<50 {
            parts.append(Self.part(of: "one-\(number)", 0))
            for source in 0..<2 as Range<Int32> { parts.append(Self.part(of: "two-\(number)", source)) }
        }
        let combination = Combination(pace: .init(first: .seconds(10)))
        for part in parts { combination.take(part, now: Self.start) }
        var told: [String] = []
        var forgotten: [CohortSnapshot] = []
        combination.collect(now: Self.start, excess: 1 << 30) { key, _ in
            told.append(key.messageID)
        } forgotten: {
            forgotten.append($0)
        }
        #expect(combination.messageCount == 1)
        // Nothing is forgotten before it is told.
        #expect(Set(told).count == 100 && told.count == 100 && forgotten.count == 150)
        let heir = Combination(pace: .init(first: .seconds(10)))
        for part in parts { heir.restore(part, now: Self.start) }
        #expect(heir.messageCount == 101)
        for part in forgotten { heir.restore(forgotten: part.partKey, now: Self.start) }
        #expect(heir.messageCount == 1 && heir.byteCount < combination.byteCount + 1_000)
    }

    /// Folded messages of a restored state have not been told yet.
    @Test func foldedMessagesAreForgottenTooAndToldBefore() {
        let combination = Combination(pace: .init(first: .zero))
        for number in 0..<1_000 { combination.restore(Self.part(of: "m\(number)", 0), now: Self.start) }
        combination.restored(now: Self.start)
        var (told, forgotten) = (0, 0)
        combination.collect(now: Self.start, limit: 0, excess: 1 << 30) { _, _ in
            told += 1
        } forgotten: { _ in
            forgotten += 1
        }
        #expect(combination.messageCount == 0 && told == 1_000 && forgotten == 1_000)
    }

    /// Else the parts of a message that was really sent would fill the memory, and none of them could be forgotten.
    @Test func aPartitionThatForgetsAMessageAgainAndAgainHasTwoPartsOfIt() throws {
        let combination = Combination(pace: .init(first: .zero))
        combination.take(Self.part(of: "m", 0, accepted: 1), now: Self.start)
        var bytes: [Int] = []
        var last: PushStatisticsRecord?
        for term in 1...100 as ClosedRange<Int64> {
            combination.take(Self.part(of: "m", 1, term: Self.start + term, isClosed: true), now: Self.start)
            combination.collect(now: Self.start) { _, statistics in
                #expect(statistics.version > last?.version ?? 0)
                last = statistics
            }
            bytes.append(combination.byteCount)
        }
        #expect(bytes[1] == bytes[99])
        let statistics = try #require(last)
        #expect(statistics.arrived == 101)
    }
}
