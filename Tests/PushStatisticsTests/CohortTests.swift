import Foundation
import Records
import ServiceKit
import Testing
import WireFormats

@testable import PushStatistics

@Suite struct CohortTests {
    static let start: Int64 = 1_716_595_200_000
    private let key = CohortKey(provider: "apns", appBundle: "", messageID: "m1")

    @Test func readsEveryRowOfTheVectors() { #expect(StatisticsVector.all.count == 4) }

    @Test(arguments: StatisticsVector.all) func countsAsTheVectorsDo(vector: StatisticsVector) throws {
        for partitions in [1, 3] {
            let fleet = FleetOfLedgers(partitions: partitions, rules: vector.rules)
            for (offset, bytes) in vector.events.enumerated() {
                let record = InboundRecord(
                    topic: "push-arrival",
                    partition: 0,
                    offset: Int64(offset),
                    timestamp: Self.start,
                    value: bytes
                )
                // The vectors' times are what their records say, whenever they are read.
                fleet.count(
                    try PushEvent(decoding: record, now: Self.start + 30 * 86_400_000),
                    now: Self.start
                )
            }
            fleet.collect(now: Self.start)
            for bytes in vector.expected {
                let row = try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
                let message = try #require(row["message_id"] as? String)
                let told = try #require(fleet.statistics.first { $0.key.messageID == message }?.value)
                for (name, value) in row where name != "message_id" {
                    if name == "lag_hist" {
                        #expect(told.lag.histogram == (value as? [Int])?.map(Int64.init))
                    } else {
                        let known = try #require(told.number(name), "\(name) is not known")
                        #expect(known == (value as? NSNumber)?.doubleValue, "\(name)")
                    }
                }
            }
        }
    }

    // MARK: - A crowd

    /// Events of a few messages and many devices, each of them sent first and some of them again.
    private func crowd(seed: UInt64, count: Int) -> [PushEvent] {
        var random = SplitMix64(seed: seed)
        return (0..<count).map { _ in
            let device = random.next() % 400
            let message = random.next() % 3
            let kind = PushEvent.Kind.allCases[Int(random.next() % 5)]
            let server = Self.start + Int64((device &* 7_919 &+ message) % 90_000_000)
            let upload = server + Int64(device) * 1_000_003
            return PushEvent(
                kind,
                messageID: "m\(message)",
                campaignID: "c",
                deviceID: "device-\(device)",
                acceptance: device % 7 == 0 ? .rejected(reason: "reason-\(device % 20)") : .accepted,
                sentMS: device % 3 == 0 ? Self.start : nil,
                deviceMS: kind == .sent || device % 11 == 0 ? nil : upload - Int64(device % 5) * 40_000,
                uploadMS: kind == .sent ? nil : upload,
                serverMS: kind == .sent ? Self.start + Int64(device) : server,
                isEligible: kind == .sent && device % 13 == 0 ? false : nil
            )
        }
    }

    /// The statistics of each message, without the fields that depend on how often they were published.
    private func told(_ fleet: FleetOfLedgers) -> [CohortKey: PushStatisticsRecord] {
        fleet.statistics.mapValues { statistics in
            var statistics = statistics
            statistics.version = 0
            statistics.updatedMS = 0
            return statistics
        }
    }

    @Test(arguments: [11, 12, 13] as [UInt64]) func orderAndPartitionsDoNotMatter(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        // One of each (message, device, kind), as they could come in any order; then repeats in another.
        let events = self.crowd(seed: seed, count: 4_000)
        var reference: [CohortKey: PushStatisticsRecord]?
        for partitions in [1, 2, 5] {
            let fleet = FleetOfLedgers(partitions: partitions, rules: CohortRules())
            for event in events.shuffled(using: &random) { fleet.count(event, now: Self.start) }
            fleet.collect(now: Self.start)
            if let reference { #expect(self.told(fleet) == reference) }
            reference = self.told(fleet)
        }
        #expect(reference?.count == 3)
        #expect(
            reference?.values.allSatisfy { $0.arrived > 100 && $0.duplicates > 100 && $0.skewAdjusted > 0 }
                == true
        )
    }

    @Test(arguments: [21, 22, 23] as [UInt64]) func aRestartAtAnyTimeLosesAndDoublesNothing(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let events = self.crowd(seed: seed, count: 3_000)
        let steady = FleetOfLedgers(partitions: 3, rules: CohortRules())
        let shaken = FleetOfLedgers(partitions: 3, rules: CohortRules())
        for event in events {
            steady.count(event, now: Self.start)
            shaken.count(event, now: Self.start)
            guard random.next() % 50 == 0 else { continue }
            // As a transaction does: all of it is written, and then the worker may end.
            shaken.collect(now: Self.start)
            shaken.restart(Int(random.next() % 3), now: Self.start)
        }
        steady.collect(now: Self.start)
        shaken.collect(now: Self.start)
        #expect(self.told(shaken) == self.told(steady))
        #expect(shaken.statistics.mapValues(\.version) == steady.statistics.mapValues(\.version))
        for versions in shaken.versions.values { #expect(versions == versions.sorted()) }
    }

    // MARK: - Lateness and ends

    private func event(_ kind: PushEvent.Kind, _ device: String = "a", sent: Int64? = start, at server: Int64)
        -> PushEvent
    {
        PushEvent(kind, messageID: "m1", deviceID: device, sentMS: sent, serverMS: server)
    }

    @Test func aMessageEndsAndThenEverythingIsLate() throws {
        let fleet = FleetOfLedgers(partitions: 1, rules: CohortRules())
        fleet.count(self.event(.sent, at: Self.start), now: Self.start)
        #expect(fleet.count(self.event(.arrived, at: Self.start + 5), now: Self.start).standing == .accepted)
        let end = Self.start + 73 * 3_600_000
        fleet.collect(now: end - 1)
        #expect(fleet.statistics[self.key]?.isComplete == false)
        #expect(fleet.ledgers[0].deviceCount == 1)
        // A worker that is behind closes nothing, whatever its clock says.
        fleet.collect(now: end + 1_000_000, progress: end - 1)
        #expect(fleet.statistics[self.key]?.isComplete == false)
        fleet.collect(now: end)
        #expect(fleet.statistics[self.key]?.isComplete == true)
        #expect(fleet.statistics[self.key]?.arrived == 1)
        #expect(fleet.ledgers[0].deviceCount == 0)
        // In time by its own word, and yet too late: its devices are forgotten.
        #expect(fleet.count(self.event(.arrived, "b", at: Self.start + 9), now: end).standing == .late)
        fleet.collect(now: end)
        #expect(fleet.statistics[self.key]?.lateDropped == 1)
        #expect(fleet.statistics[self.key]?.isComplete == true)
        fleet.restart(0, now: end)
        #expect(fleet.count(self.event(.arrived, "c", at: Self.start + 9), now: end).standing == .late)
        fleet.collect(now: end)
        #expect(fleet.statistics[self.key]?.lateDropped == 2)
        #expect(fleet.statistics[self.key]?.arrived == 1)
    }

    @Test func anArrivalIsCountedInTheHourInWhichItHappened() {
        let fleet = FleetOfLedgers(partitions: 3, rules: CohortRules())
        let hour = ArrivalHours.length
        // Reported two hours late, by a clock that is years off.
        for (device, wait) in [("a", 2 * hour), ("b", 0), ("c", 2 * hour)] {
            fleet.count(
                PushEvent(
                    .arrived,
                    messageID: "m1",
                    deviceID: device,
                    sentMS: Self.start,
                    deviceMS: 7_000_000_000 - wait,
                    uploadMS: 7_000_000_000,
                    serverMS: Self.start + 5 * hour
                ),
                now: Self.start
            )
        }
        fleet.count(self.event(.arrived, at: Self.start + 6 * hour), now: Self.start)
        fleet.collect(now: Self.start)
        let first = ArrivalHours.hour(of: Self.start)
        func told() -> [Int64] {
            (0...6).map { step in
                fleet.statistics[self.key]?.hours.all.first { $0.hour == first + step }?.count ?? 0
            }
        }
        #expect(told() == [0, 0, 0, 2, 0, 1, 0])
        for index in 0..<3 { fleet.restart(index, now: Self.start) }
        fleet.count(self.event(.arrived, "d", at: Self.start + 6 * hour), now: Self.start)
        fleet.collect(now: Self.start)
        #expect(told() == [0, 0, 0, 2, 0, 1, 1])
    }

    /// Devices report nothing any more, and still somebody has to say that this was all.
    @Test func aMessageEndsOfItself() throws {
        let fleet = FleetOfLedgers(partitions: 1, rules: CohortRules())
        fleet.count(self.event(.sent, at: Self.start), now: Self.start)
        fleet.collect(now: Self.start + 60_000)
        let end = Self.start + 73 * 3_600_000
        #expect(fleet.ledgers[0].nextDue == end)
        // Once a second, and not all the time, where the partition is behind the clock.
        fleet.collect(now: end + 5, progress: end - 1)
        #expect(fleet.ledgers[0].nextDue == end + 1_005)
        fleet.collect(now: end + 1_005)
        #expect(fleet.statistics[self.key]?.isComplete == true)
        #expect(fleet.ledgers[0].nextDue == end + 30 * 86_400_000)
    }

    @Test func aForgottenMessageIsAddedToNotReplaced() throws {
        let fleet = FleetOfLedgers(partitions: 1, rules: CohortRules())
        fleet.count(self.event(.arrived, at: Self.start + 5), now: Self.start)
        let end = Self.start + 73 * 3_600_000 + 5
        fleet.collect(now: end)
        let forgotten = end + 31 * 86_400_000
        fleet.collect(now: forgotten)
        #expect(fleet.ledgers[0].cohortCount == 0)
        // By its own word late: counts nowhere but in its own result.
        #expect(fleet.count(self.event(.arrived, at: forgotten), now: forgotten).standing == .late)
        #expect(fleet.ledgers[0].cohortCount == 0)
        // The event does not say when the message was sent.
        fleet.count(self.event(.opened, sent: nil, at: forgotten), now: forgotten)
        fleet.collect(now: forgotten)
        let told = try #require(fleet.statistics[self.key])
        #expect((told.arrived, told.opened) == (1, 1))
        #expect(!told.isComplete)
        #expect(fleet.versions[self.key].map { $0 == $0.sorted() } == true)
    }

    @Test func aMessageThatIsSentAgainAndAgainDoesNotEnd() {
        let fleet = FleetOfLedgers(partitions: 1, rules: CohortRules())
        var now = Self.start
        for device in 0..<40 {
            fleet.count(self.event(.sent, "d\(device)", sent: now, at: now), now: now)
            now += 2 * 86_400_000
            fleet.collect(now: now)
            #expect(fleet.statistics[self.key]?.isComplete == false)
        }
        #expect(fleet.ledgers[0].deviceCount == 40)
    }

    /// Also where nothing else is known of the message: partitions know different devices.
    @Test func aLateEventOfAnUnknownMessageIsCountedAsLate() throws {
        let fleet = FleetOfLedgers(partitions: 1, rules: CohortRules())
        let late = Self.start + 5 * 86_400_000
        #expect(fleet.count(self.event(.arrived, at: late), now: late).standing == .late)
        fleet.collect(now: late)
        #expect(fleet.statistics[self.key]?.lateDropped == 1)
        #expect(fleet.statistics[self.key]?.arrived == 0)
        // After all that was told of it may be forgotten.
        let forgotten = Self.start + 34 * 86_400_000
        let other = PushEvent(
            .arrived,
            messageID: "m2",
            deviceID: "a",
            sentMS: Self.start,
            serverMS: forgotten
        )
        #expect(fleet.count(other, now: forgotten).standing == .late)
        fleet.collect(now: forgotten)
        #expect(fleet.statistics.count == 1)
    }

    // MARK: - Single rules

    @Test func anArrivalBeforeItsSendingIsMeasuredOnceThatIsKnown() throws {
        let fleet = FleetOfLedgers(partitions: 1, rules: CohortRules())
        fleet.count(self.event(.arrived, sent: nil, at: Self.start + 120_000), now: Self.start)
        fleet.collect(now: Self.start)
        #expect(fleet.statistics[self.key]?.lag.unknown == 1)
        #expect(fleet.statistics[self.key]?.lag.histogram == [0, 0, 0, 0, 0, 0])
        // Another device's sending is the best that is known.
        fleet.count(self.event(.sent, "b", sent: nil, at: Self.start), now: Self.start)
        fleet.collect(now: Self.start)
        #expect(fleet.statistics[self.key]?.lag.unknown == 0)
        #expect(fleet.statistics[self.key]?.lag.histogram == [0, 1, 0, 0, 0, 0])
        // Its own is better.
        fleet.restart(0, now: Self.start)
        fleet.count(self.event(.sent, sent: nil, at: Self.start + 100_000), now: Self.start)
        fleet.collect(now: Self.start)
        #expect(fleet.statistics[self.key]?.lag.histogram == [1, 0, 0, 0, 0, 0])
        #expect(fleet.statistics[self.key]?.lag.unknown == 0)
    }

    @Test func ineligibleArrivalsCountApart() throws {
        let fleet = FleetOfLedgers(partitions: 1, rules: CohortRules())
        var event = self.event(.arrived, at: Self.start)
        event.isEligible = false
        #expect(fleet.count(event, now: Self.start).standing == .ineligible)
        event = self.event(.arrived, "b", at: Self.start)
        event.environment = "development"
        #expect(fleet.count(event, now: Self.start).standing == .ineligible)
        // A push that no extension runs for was sent all the same.
        event = self.event(.sent, "c", at: Self.start)
        event.isEligible = false
        #expect(fleet.count(event, now: Self.start).standing == .accepted)
        fleet.collect(now: Self.start)
        let told = try #require(fleet.statistics[self.key])
        #expect((told.arrived, told.ineligible, told.accepted, told.eligible) == (0, 1, 1, 0))
        #expect(told.arrivalRate == 0 && told.eligibleArrivalRate == nil)
    }

    @Test func eventsWithoutAMessageAreOneIfDevicePayloadAndMinuteAre() throws {
        let fleet = FleetOfLedgers(partitions: 1, rules: CohortRules())
        func event(_ hash: String, _ time: Int64) -> PushEvent {
            PushEvent(
                .arrived,
                deviceID: "a",
                deviceMS: time,
                uploadMS: time,
                serverMS: time,
                payloadSHA256: hash
            )
        }
        let standings = [
            event("x", Self.start), event("x", Self.start + 1_000), event("y", Self.start),
            event("x", Self.start + 60_000), event("x", Self.start + 86_400_000),
        ].map { fleet.count($0, now: Self.start).standing }
        #expect(standings == [.accepted, .duplicate, .accepted, .accepted, .accepted])
        fleet.collect(now: Self.start)
        #expect(fleet.statistics.keys.map(\.day).sorted() == ["2024-05-25", "2024-05-26"])
        #expect(fleet.statistics.values.allSatisfy { $0.messageID == "unknown" && $0.window != .cohort })
    }

    @Test func onlySoManyReasonsAreToldApart() {
        var tally = Tally(edges: [])
        for number in 0..<100 { tally.reject("reason \(number)") }
        #expect(tally.rejected.count == Tally.reasonsLimit + 1)
        #expect(tally.rejected[Tally.otherReason] == 100 - Int64(Tally.reasonsLimit))
        #expect(tally.rejectedTotal == 100)
    }

    @Test func keysOfRecordsTellMessagesApart() {
        let keys = [
            CohortKey(provider: "a", appBundle: "b", messageID: "c/d"),
            CohortKey(provider: "a", appBundle: "b/c", messageID: "d"),
            CohortKey(provider: "a", appBundle: "b", messageID: "c", day: "d"),
        ]
        #expect(Set(keys.map(\.recordKey)).count == 3)
        #expect(keys[0].recordKey == Array("a/b/c%2Fd".utf8))
    }

    /// For Kafka they are two keys, and for Swift the same string.
    @Test func twoSpellingsAreTwoMessages() throws {
        let (one, other) = ("caf\u{E9}", "cafe\u{301}")
        #expect(one == other)
        func key(_ provider: String = "p", _ app: String = "a", _ message: String = "m") -> CohortKey {
            CohortKey(provider: provider, appBundle: app, messageID: message)
        }
        for (first, second) in [
            (key(one), key(other)), (key("p", one), key("p", other)),
            (key("p", "a", one), key("p", "a", other)),
            // The sign of the kelvin is a K, which is ASCII.
            (key("p", "a", "K"), key("p", "a", "\u{212A}")),
        ] {
            #expect(first.recordKey != second.recordKey)
            #expect(first != second && Set([first, second, first]).count == 2)
        }
        #expect(key("p", "a", one) == key("p", "a", "caf" + "\u{E9}"))
    }

    /// Else whoever chooses ids could make every look-up as long as the list of them.
    @Test func spellingsOfOneIDDoNotMeetInOnePlace() {
        let hashes = (0..<1_000).map { number in
            let accents = (0..<10).map { number >> $0 & 1 == 0 ? "\u{E9}" : "e\u{301}" }
            return CohortKey(provider: "p", appBundle: "a", messageID: accents.joined()).hashValue
        }
        #expect(Set(hashes).count > 990)
    }

    @Test func twoSpellingsAreCountedAndToldApart() throws {
        let fleet = FleetOfLedgers(partitions: 1, rules: CohortRules())
        for message in ["caf\u{E9}", "cafe\u{301}"] {
            let event = PushEvent(
                .arrived,
                messageID: message,
                deviceID: "a",
                sentMS: Self.start,
                serverMS: Self.start
            )
            #expect(fleet.count(event, now: Self.start).standing == .accepted)
        }
        fleet.collect(now: Self.start)
        fleet.restart(0, now: Self.start)
        #expect(fleet.ledgers[0].cohortCount == 2)
        // By what reaches Kafka: two records, of one arrival each.
        #expect(Set(fleet.statistics.keys.map(\.recordKey)).count == 2)
        #expect(fleet.statistics.values.map(\.arrived) == [1, 1])
        #expect(Set(fleet.statistics.values.map { Array($0.messageID.utf8) }).count == 2)
    }

    @Test func whatIsNoSnapshotIsNotRead() {
        #expect(CohortSnapshot([0xFF, 0xFF]) == nil)
        #expect(CohortSnapshot([]) == nil)
    }
}
