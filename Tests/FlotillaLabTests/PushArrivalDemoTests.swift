import Records
import Testing
import WireFormats
import WireMessages

@testable import Harness
@testable import Rehearsal
@testable import Trials

/// How the demo judges statistics, and how it shows them.
struct PushArrivalDemoTests {
    private typealias Statistics = ToldStatistics.Statistics

    private static let count: CampaignCount = {
        var count = CampaignCount()
        count.accepted = 8
        count.rejected = ["Unregistered": 2]
        count.eligible = 7
        count.arrived = 4
        count.shown = 3
        count.opened = 2
        count.dismissed = 1
        count.duplicates = 5
        count.late = 6
        count.ineligible = 9
        count.withoutDevice = 10
        count.adjusted = 11
        count.lags = [60_000, 60_001, 1_000, 90_000_000]
        return count
    }()

    /// The statistics that a worker without a fault publishes.
    private static let told: Statistics = {
        var told = Statistics()
        told.messageID = "m"
        told.version = 3
        told.complete = true
        (told.sent, told.accepted, told.rejected, told.eligible) = (10, 8, 2, 7)
        told.rejectedReasons = ["Unregistered": 2]
        (told.arrived, told.shown, told.opened, told.dismissed) = (4, 3, 2, 1)
        (told.duplicates, told.lateDropped, told.ineligible, told.unknownDevice) = (5, 6, 9, 10)
        told.skewAdjusted = 11
        (told.arrivalRate, told.eligibleArrivalRate, told.shownRate) = (0.5, 4.0 / 7, 0.75)
        (told.openRate, told.ctr) = (0.5, 0.25)
        told.lagEdgesMs = [60_000, 300_000, 3_600_000, 21_600_000, 86_400_000]
        told.lagHist = [2, 1, 0, 0, 0, 1]
        (told.lagP50Ms, told.lagP90Ms) = (60_900, 89_000_000)
        return told
    }()

    @Test func hasNoObjectionToWhatIsRight() {
        #expect(Self.count.objections(to: Self.told) == [])
        #expect(Self.count.objections(to: nil) == ["were not told"])
    }

    private static let faults: [@Sendable (inout Statistics) -> Void] = [
        { $0.complete = false }, { $0.sent = 9 }, { $0.accepted = 7 }, { $0.rejected = 3 },
        { $0.rejectedReasons = ["BadDeviceToken": 2] }, { $0.eligible = 8 }, { $0.arrived = 5 },
        { $0.shown = 4 }, { $0.opened = 3 }, { $0.dismissed = 0 }, { $0.duplicates = 6 },
        { $0.lateDropped = 5 }, { $0.ineligible = 0 }, { $0.unknownDevice = 0 }, { $0.skewAdjusted = 0 },
        { $0.arrivalRate = 0.51 }, { $0.eligibleArrivalRate = 0.5 }, { $0.shownRate = 0.7 },
        { $0.openRate = 0.25 }, { $0.ctr = 0.5 }, { $0.lagHist = [1, 2, 0, 0, 0, 1] },
        { $0.lagP50Ms = 58_000 }, { $0.lagP90Ms = 92_000_000 },
    ]

    @Test(arguments: faults.indices)
    func findsEachNumberThatIsWrong(index: Int) {
        var told = Self.told
        Self.faults[index](&told)
        #expect(Self.count.objections(to: told).count == 1)
    }

    // MARK: - The topic

    private static func record(_ statistics: Statistics) -> InboundRecord {
        var record = InboundRecord(topic: "push-arrival.stats", partition: 0, offset: 7)
        record.value = statistics.written(as: .json)
        return record
    }

    @Test func noticesWhatIsOutOfOrder() {
        var told = ToldStatistics()
        var first = Self.told
        first.complete = false
        told.take(Self.record(first))
        var second = Self.told
        second.version = 4
        told.take(Self.record(second))
        #expect(told.disorder == [] && told.riddles == [])
        #expect(told.latest["m"] == second)
        told.take(Self.record(second))
        #expect(told.disorder.count == 2)
        told.take(InboundRecord(topic: "push-arrival.stats", partition: 0, offset: 8))
        #expect(told.riddles == ["push-arrival.stats/0/8"])
    }

    // MARK: - The funnel

    @Test(arguments: [40, 79, 139])
    func theFunnelFitsThePage(width: Int) {
        let lines = Funnel(Self.told).lines(width: width)
        #expect(lines.first == "The funnel of m, final, version 3")
        #expect(lines.contains { $0.contains("50.0 % of accepted, 57.1 % of eligible") })
        #expect(lines.contains { $0.contains("within 1 min (p50), nine in ten within 24.7 h (p90)") })
        let steps = lines.filter { $0.contains("█") }
        #expect(steps.count == (width > 60 ? 5 : 0))
        if width > 60 { #expect(lines.allSatisfy { $0.count <= width + 40 }) }
    }

    @Test func aMessageOfWhichNothingIsKnownHasNoRates() {
        let lines = Funnel(Statistics()).lines(width: 100)
        #expect(lines.contains { $0.hasSuffix("– of arrived, – of accepted") })
        #expect(Funnel.percent(.nan) == "–")
        #expect(Funnel.percent(1.0 / 3) == "33.3 %")
    }

    @Test(arguments: [(999, "999 ms"), (1_500, "1.5 s"), (60_000, "1 min"), (5_400_000, "1.5 h")])
    func tellsTimes(milliseconds: Int64, text: String) { #expect(Funnel.time(milliseconds) == text) }

    // MARK: - The campaign

    /// Everything that the worker has a word for is in it, and what is expected of it adds up.
    @Test func theCampaignShowsEverything() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let demo = PushArrivalDemo(in: folder)
        let step = try #require(demo.nextStep(now: 1_763_000_000_000))
        #expect(demo.nextStep(now: 1_763_000_000_000) == nil)
        for word in ["accepted", "duplicate", "late", "ineligible"] {
            #expect(step.samples.contains { $0.word == word && !$0.isOneOfMany }, "\(word)")
        }
        #expect(step.samples.count { $0.title.hasPrefix("sent to ") } == 200)
        #expect(!demo.hasAllStatements)
        // Nothing has been told yet, and that is not taken for a yes.
        let claims = demo.claims(Register(demo.results), UpstreamAnswers())
        #expect(claims.first?.objections.count == 4)
    }
}
