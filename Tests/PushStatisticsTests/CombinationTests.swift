import ServiceKit
import Testing
import WireFormats

@testable import PushStatistics

@Suite struct CombinationTests {
    private static let start: Int64 = 1_795_248_000_000
    private static let day: Int64 = 86_400_000
    private static let key = CohortKey(provider: "apns", appBundle: "a", messageID: "m")

    private static func part(
        _ source: Int32 = 0,
        term: Int64 = start,
        version: Int64,
        seen: Int64 = start,
        isClosed: Bool = false
    ) -> CohortSnapshot {
        CohortSnapshot(
            key: self.key,
            campaignID: "",
            source: source,
            term: term,
            version: version,
            isClosed: isClosed,
            tally: Tally(edges: []),
            firstSeen: min(term, seen),
            lastSeen: seen,
            base: 0
        )
    }

    private static func combination(_ parts: [CohortSnapshot] = [], now: Int64 = start) -> Combination {
        let combination = Combination(pace: .init(first: .zero))
        for part in parts { combination.restore(part, now: now) }
        combination.restored(now: now)
        return combination
    }

    private static func told(_ combination: Combination, now: Int64) -> [Int64] {
        var versions: [Int64] = []
        combination.collect(now: now) { versions.append($1.version) }
        return versions
    }

    /// Else whoever keeps the highest version would never hear of the message again.
    @Test func aMessageThatWasForgottenGoesOnAboveWhatWasTold() throws {
        let combination = Self.combination()
        combination.take(Self.part(version: 5_000_000, isClosed: true), now: Self.start)
        let before = try #require(Self.told(combination, now: Self.start).first)
        let later = Self.start + 61 * Self.day
        #expect(Self.told(combination, now: later).isEmpty && combination.messageCount == 0)
        // With an event that is old itself, or has a clock of its own.
        for (source, seen) in [(0, Self.start), (1, later)] as [(Int32, Int64)] {
            combination.take(Self.part(source, term: later, version: 1, seen: seen), now: later)
            let after = Self.told(combination, now: later)
            #expect(after.count == 1 && after.allSatisfy { $0 > before })
        }
    }

    /// The topic of the parts keeps them for 60 days each.
    @Test func aPartThatKafkaHasDeletedDoesNotTakeTheVersionBack() throws {
        let lasting = Self.part(1, version: 3, seen: Self.start + 50 * Self.day)
        let first = Self.combination([Self.part(0, version: 5_000_000), lasting])
        let before = try #require(Self.told(first, now: Self.start + 50 * Self.day).first)
        let later = Self.start + 62 * Self.day
        let second = Self.combination([lasting], now: later)
        _ = Self.told(second, now: later)
        second.take(Self.part(1, version: 4, seen: later), now: later)
        let after = Self.told(second, now: later)
        #expect(after.count == 1 && after.allSatisfy { $0 > before })
    }

    /// Parts come one after the other, and now and then a worker begins anew with all that there are, in any order.
    @Test(arguments: [31, 32, 33, 34] as [UInt64])
    func theVersionRisesWithEveryChangeWhoeverTellsOfIt(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var combination = Self.combination()
        var parts: [CohortSnapshot] = []
        var last: Int64 = 0
        var now = Self.start
        for _ in 0..<500 {
            now += Int64(random.next() % 3)
            // Clocks differ, and events come late.
            let time = now - Int64(random.next() % 100_000)
            if parts.isEmpty || random.next() % 40 == 0 {
                parts.append(Self.part(Int32(parts.count), term: time, version: 0, seen: time))
            }
            let place = Int(random.next() % UInt64(parts.count))
            parts[place].version += 1
            parts[place].lastSeen = max(parts[place].lastSeen, time)
            combination.take(parts[place], now: now)
            let told = Self.told(combination, now: now)
            let version = try #require(told.first)
            #expect(told.count == 1 && version > last)
            last = version
            guard random.next() % 20 == 0 else { continue }
            combination = Self.combination(parts.shuffled(using: &random), now: now)
            // Nothing has changed: the same, told again.
            #expect(Self.told(combination, now: now) == [last])
        }
    }
}
