import Testing

@testable import Harness
@testable import Rehearsal
@testable import Trials

struct ChaosScheduleTests {
    static let lengths: [Duration] = [.seconds(10), .seconds(20), .seconds(60), .seconds(600)]

    private static func schedules(_ length: Duration, workers: Int = 3) -> [(UInt64, ChaosSchedule)] {
        (0..<60).map { seed in
            (seed, ChaosSchedule(seed: seed, length: length, workers: workers, hasOwnBroker: true))
        }
    }

    @Test(arguments: lengths)
    func theSameSeedIsTheSameSchedule(length: Duration) {
        let (first, second) = (Self.schedules(length).map(\.1), Self.schedules(length).map(\.1))
        #expect(first == second)
        #expect(Set(first).count == first.count)
    }

    @Test(arguments: lengths)
    func everythingIsHealedBeforeTheEnd(length: Duration) {
        for (seed, schedule) in Self.schedules(length) {
            #expect(schedule.calm <= length - .seconds(2), "seed \(seed)")
            #expect(!schedule.faults.isEmpty, "seed \(seed)")
            for fault in schedule.faults {
                #expect(fault.start > .zero && fault.length > .zero, "seed \(seed): \(fault)")
                #expect(fault.end <= schedule.calm, "seed \(seed): \(fault)")
                #expect(fault.length <= .seconds(10), "seed \(seed): \(fault)")
            }
        }
    }

    @Test(arguments: [1, 2, 3, 5])
    func neverAreAllWorkersGoneForLong(workers: Int) {
        let bound = workers == 1 ? ChaosSchedule.longestLoneAbsence : ChaosSchedule.longestBlackout
        for length in Self.lengths {
            for (seed, schedule) in Self.schedules(length, workers: workers) {
                #expect(Self.longestBlackout(schedule, workers) <= bound, "seed \(seed), \(length)")
            }
        }
    }

    /// How long at most nobody is there of the workers that always are.
    private static func longestBlackout(_ schedule: ChaosSchedule, _ workers: Int) -> Duration {
        let times = Set(schedule.faults.flatMap { [$0.start, $0.end] }).sorted()
        var longest = Duration.zero
        var since: Duration?
        for time in times {
            let out = schedule.faults.filter { $0.start <= time && time < $0.end }
            let missing = Set(out.compactMap(\.missingWorker))
            let isNobodyThere = missing.count == workers || out.contains { $0.deed == .killAll }
            if isNobodyThere, since == nil { since = time }
            if !isNobodyThere, let began = since {
                longest = max(longest, time - began)
                since = nil
            }
        }
        return longest
    }

    /// A worker that is out is not sent out again, or two lives would hold one post.
    @Test func nobodyIsTwiceOutAtOnce() {
        for (seed, schedule) in Self.schedules(.seconds(600)) {
            let faults = schedule.faults.filter { $0.missingWorker != nil || $0.deed == .killAll }
            for (index, fault) in faults.enumerated() {
                for later in faults[(index + 1)...] where later.start < fault.end {
                    let isApart = fault.missingWorker != nil && later.missingWorker != nil
                    #expect(isApart && fault.missingWorker != later.missingWorker, "seed \(seed): \(later)")
                }
            }
        }
    }

    @Test func threeMinutesHaveEveryKindOfFault() {
        for (seed, schedule) in Self.schedules(.seconds(180)) {
            let deeds = schedule.faults.map(\.deed)
            for trouble in UpstreamTrouble.allCases {
                #expect(deeds.contains(.upstream(trouble)), "seed \(seed): \(trouble)")
            }
            for trouble in BrokerTrouble.allCases {
                #expect(deeds.contains(.broker(trouble)), "seed \(seed): \(trouble)")
            }
            #expect(deeds.contains(.killAll), "seed \(seed)")
            let kinds = Set(deeds.map { "\($0)".prefix { $0 != "(" } })
            #expect(
                kinds.isSuperset(of: ["kill", "pause", "scaleDown", "scaleUp"]),
                "seed \(seed): \(kinds)"
            )
            #expect(schedule.faults.contains { $0.queueLimit != nil }, "seed \(seed)")
        }
    }

    /// It is dead for longer than honest users may wait, and is well before the end.
    @Test(arguments: lengths)
    func theSandboxIsDeadInTheMiddle(length: Duration) {
        let schedules = (0..<60).map { seed in
            [false, true].map {
                ChaosSchedule(seed: seed, length: length, workers: 3, hasOwnBroker: true, hasAdversary: $0)
            }
        }
        for pair in schedules {
            let isOfSandbox = { (fault: ChaosFault) in
                if case .sandbox = fault.deed { true } else { false }
            }
            let dead = pair[1].faults.filter(isOfSandbox)
            #expect(dead.map(\.deed) == [.sandbox(.isSilent), .sandbox(.refuses)])
            #expect(dead.first?.end == dead.last?.start)
            let stretch = ChaosSchedule.deadStretch(of: length)
            #expect(dead.first?.start == stretch.lowerBound && dead.last?.end == stretch.upperBound)
            #expect(stretch.lowerBound >= length / 10 && stretch.upperBound <= pair[1].calm)
            let isLong = stretch.upperBound - stretch.lowerBound > ChaosOptions.usualBound
            #expect(isLong == (length >= .seconds(60)))
        }
    }

    /// While the group is moved, no other fault starts a worker. All other faults are as they are without an adversary.
    @Test(arguments: lengths)
    func nobodyStartsAWorkerWhileTheGroupIsMoved(length: Duration) {
        for seed in 0..<60 as Range<UInt64> {
            let (plain, hostile) = (
                ChaosSchedule(seed: seed, length: length, workers: 3, hasOwnBroker: true),
                ChaosSchedule(seed: seed, length: length, workers: 3, hasOwnBroker: true, hasAdversary: true)
            )
            let move = hostile.faults.first { $0.deed == .moveBack }
            #expect((move == nil) == (length < ChaosSchedule.shortestWithMove))
            let kept = plain.faults.filter { fault in
                guard let move, fault.isOfWorkers else { return true }
                return fault.end + .seconds(1) <= move.start || fault.start >= move.end + .seconds(1)
            }
            #expect(hostile.faults.filter { plain.faults.contains($0) } == kept, "seed \(seed)")
            #expect(hostile.faults.count == kept.count + (move == nil ? 4 : 5), "seed \(seed)")
            #expect(hostile.faults.allSatisfy { $0.end <= hostile.calm }, "seed \(seed)")
        }
    }

    /// A cluster that is not ours is left alone, and all else is as it was.
    @Test func aForeignBrokerHasNoFaults() {
        let own = ChaosSchedule(seed: 7, length: .seconds(60), workers: 3, hasOwnBroker: true)
        let foreign = ChaosSchedule(seed: 7, length: .seconds(60), workers: 3, hasOwnBroker: false)
        let isOfBroker = { (fault: ChaosFault) in
            if case .broker = fault.deed { true } else { false }
        }
        #expect(own.faults.contains(where: isOfBroker))
        #expect(foreign.faults == own.faults.filter { !isOfBroker($0) })
    }
}
