import Testing

@testable import UpstreamSimulator

/// The faults and the counters without a socket: time is a number here.
struct GDTSimulationTests {
    private static let start: Int64 = 1_000_000

    private var simulation = Self.make()

    private static func make(seed: UInt64 = 7, scripted: Bool = false) -> GDTSimulation {
        GDTSimulation(
            judge: GDTJudge(keys: [Reporter.keys]),
            director: FaultDirector(seed: seed, scriptedByClickID: scripted)
        )
    }

    private mutating func ask(_ reporter: Reporter = Reporter(), at now: Int64 = Self.start) -> Course {
        let target = Array(reporter.target.utf8)
        let judgement = self.simulation.judge.judge(target: target, now: Reporter.now)
        return self.simulation.settle(judgement, now: now)
    }

    private mutating func asked(_ count: Int, _ reporter: Reporter = Reporter()) -> [Fault?] {
        (0..<count).map { _ in self.ask(reporter).misbehaviour?.fault }
    }

    @Test mutating func countsWhatItAccepts() {
        _ = self.asked(3)
        _ = self.asked(1, Reporter(muid: Reporter.muid(1)))
        _ = self.asked(1, Reporter(conversionType: "MOBILEAPP_REGISTER"))
        _ = self.asked(2, Reporter(muid: "x"))
        let ledger = self.simulation.ledger
        #expect(ledger.requests == 7)
        #expect(ledger.rets == [.accepted: 5, .illegalMuid: 2])
        #expect(ledger.acceptedCount == 5)
        #expect(ledger.duplicates == 2)
        #expect(ledger.acceptedReports.map(\.count) == [3, 1, 1])
    }

    @Test(arguments: [
        (Faults(hang: Dose(next: 2)), Fault.hang),
        (Faults(cutBefore: Dose(next: 2)), .cutBefore),
        (Faults(serverError: .init(when: Dose(next: 2))), .serverError),
        (Faults(throttle: .init(retryAfterSeconds: 1, when: Dose(next: 2))), .throttle),
        (Faults(proxyPage: Dose(next: 2)), .proxyPage),
        (Faults(wrongRets: [.init(ret: -12, when: Dose(next: 2))]), .wrongRet),
        (Faults(truncated: Dose(next: 2)), .truncated),
        (Faults(cutAfter: Dose(next: 2)), .cutAfter),
    ])
    mutating func strikesTheNextRequests(faults: Faults, fault: Fault) {
        self.simulation.set(faults, now: Self.start)
        #expect(self.asked(4) == [fault, fault, nil, nil])
        #expect(self.simulation.ledger.faults == [fault: 2])
        let isSeen = [Fault.truncated, .cutAfter].contains(fault)
        #expect(self.simulation.ledger.acceptedCount == (isSeen ? 4 : 2))
    }

    @Test mutating func strikesForAWhile() {
        let dose = Dose(forMilliseconds: 100)
        self.simulation.set(Faults(throttle: .init(retryAfterSeconds: 3, when: dose)), now: Self.start)
        #expect(self.ask(at: Self.start + 99).misbehaviour == .status(429, retryAfterSeconds: 3))
        #expect(self.ask(at: Self.start + 100).misbehaviour == nil)
    }

    @Test mutating func chanceFollowsTheSeed() {
        let faults = Faults(serverError: .init(when: Dose(probability: 0.3)))
        var runs: [[Fault?]] = []
        for seed: UInt64 in [7, 7, 8] {
            self.simulation = Self.make(seed: seed)
            self.simulation.set(faults, now: Self.start)
            runs.append(self.asked(1000))
        }
        #expect(runs[0] == runs[1])
        #expect(runs[0] != runs[2])
        #expect((250...350).contains(runs[0].count { $0 != nil }))
    }

    @Test(arguments: [(0.0, 0), (1.0, 50)])
    mutating func chanceHasEnds(probability: Double, strikes: Int) {
        self.simulation.set(Faults(cutBefore: Dose(probability: probability)), now: Self.start)
        #expect(self.asked(50).count { $0 != nil } == strikes)
    }

    @Test mutating func latencyIsFixedAndJitters() {
        self.simulation.set(Faults(latency: .init(milliseconds: 20, jitterMilliseconds: 5)), now: Self.start)
        let delays = (0..<200).map { _ in self.ask().delayMilliseconds }
        #expect(Set(delays) == Set(20...25))
        #expect(self.simulation.ledger.faults == [.latency: 200])
        #expect(self.simulation.ledger.acceptedCount == 200)
    }

    @Test mutating func noNumberIsTooWild() {
        let faults = Faults(
            latency: .init(milliseconds: .max, jitterMilliseconds: .min),
            serverError: .init(status: 99, when: Dose(probability: -1, next: -1, forMilliseconds: .max))
        )
        self.simulation.set(faults, now: Self.start)
        #expect(self.ask().delayMilliseconds == 3_600_000)
        self.simulation.set(Faults(serverError: .init(status: 99)), now: Self.start)
        #expect(self.ask().misbehaviour == .status(503, retryAfterSeconds: nil))
    }

    @Test mutating func aWrongRetHasItsVictims() {
        let faults = Faults(wrongRets: [
            .init(ret: -12, appID: "111", muidPrefix: "00000000000000000000000000000001"),
            .init(ret: -17, conversionType: "MOBILEAPP_COST"),
            .init(ret: -99, appID: "999"),
        ])
        self.simulation.set(faults, now: Self.start)
        #expect(self.ask().ret == .accepted)
        #expect(self.ask(Reporter(muid: Reporter.muid(1))).ret == .noKeys)
        #expect(self.ask(Reporter(conversionType: "MOBILEAPP_COST")).ret == .noRule)
        #expect(self.ask(Reporter(signKey: "x", muid: Reporter.muid(1))).ret == .unparsable)
        #expect(self.simulation.ledger.rets == [.accepted: 1, .noKeys: 1, .noRule: 1, .unparsable: 1])
        #expect(self.simulation.ledger.acceptedCount == 1)
    }

    @Test mutating func settingReplacesEverySwitch() {
        self.simulation.set(Faults(latency: .init(milliseconds: 5), hang: .always), now: Self.start)
        self.simulation.set(Faults(), now: Self.start)
        #expect(self.ask() == Course(ret: .accepted))
    }

    @Test mutating func aScriptGoesByReport() {
        self.simulation = Self.make(scripted: true)
        let first = Reporter(clickID: "sim-503x2-a")
        let second = Reporter(muid: Reporter.muid(1), clickID: "sim-503x2-a")
        #expect(self.asked(1, first) == [.serverError])
        #expect(self.asked(3, second) == [.serverError, .serverError, nil])
        #expect(self.asked(3, first) == [.serverError, nil, nil])
        #expect(self.simulation.ledger.scripted == 4)
        #expect(self.simulation.ledger.duplicates == 1)
    }

    @Test mutating func aScriptGoesBeforeTheSwitches() {
        self.simulation = Self.make(scripted: true)
        self.simulation.set(Faults(cutBefore: Dose(next: 1)), now: Self.start)
        #expect(self.asked(3, Reporter(clickID: "sim-htmlx1-a")) == [.proxyPage, .cutBefore, nil])
    }

    @Test mutating func aScriptIsReadOnlyWhenAskedFor() {
        #expect(self.asked(1, Reporter(clickID: "sim-503x2-a")) == [nil])
        self.simulation = Self.make(scripted: true)
        #expect(self.asked(1, Reporter(clickID: "sim-typo-a")) == [nil])
        #expect(self.simulation.ledger.unreadScripts == 1)
    }

    @Test mutating func aScriptNeedsARightSignature() {
        self.simulation = Self.make(scripted: true)
        #expect(self.ask(Reporter(signKey: "x", clickID: "sim-503x2-a")).ret == .unparsable)
        #expect(self.simulation.ledger.scripted == 0)
    }
}
