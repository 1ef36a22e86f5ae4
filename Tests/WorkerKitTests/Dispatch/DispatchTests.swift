import ServiceKit
import Testing
import WireFormats

@testable import WorkerKit

/// From the ready queue to the call.
struct DispatchTests {
    @Test func recordsAreCalledForInTheirOrderAsSlotsBecomeFree() throws {
        var records = RecordsToCall()
        let ids = records.arrive(3)
        #expect(records.callNext() == ids[0])
        #expect(records.callNext() == ids[1])
        #expect(records.nextReady() == nil)
        #expect(records.answer(ids[0]) == Dispatch.Change())
        #expect(records.callNext() == ids[2])
    }

    /// The partitions of the calls were taken away, and the requests are still with the upstream.
    @Test func callsWhoseRecordsAreGoneStillTakeSlots() {
        var records = RecordsToCall()
        let gone = records.arrive(2)
        for id in gone {
            #expect(records.callNext() == id)
            records.orphan(id)
        }
        let next = records.arrive()
        #expect(records.nextReady() == nil)
        records.endOrphan(gone[0])
        #expect(records.nextReady() == next[0])
    }

    @Test func callsThatShareARequestShareASlot() {
        var records = RecordsToCall([UpstreamEndpoint(callsPerSlot: 3)])
        let ids = records.arrive(5)
        // Three calls fill the first of two slots, and the fourth begins the second.
        for id in ids.prefix(4) { #expect(records.callNext() == id) }
        #expect(records.nextReady() == nil)
    }

    @Test func aRecordOfAClosedEndpointWaitsThereAndKeepsNobodyOut() throws {
        var records = RecordsToCall([UpstreamEndpoint("one"), UpstreamEndpoint("two")])
        _ = records.arrive(3)
        _ = records.dispatch.gates.gated(0, until: records.now + 2_000_000_000, at: records.now)
        let waiting = try required(records.nextReady())
        #expect(records.plan(waiting, to: 0) == .blocked)
        #expect(records.nextBlocked(at: 0) == nil)
        #expect(records.callNext(to: 1) != nil)
        #expect(records.nextCall() == 102)
        records.seconds = 102
        // The ready record and the one that waits here take turns at being the probe.
        let probes = [records.nextBlocked(at: 0), records.nextBlocked(at: 0)]
        #expect(probes.contains(waiting))
        for id in probes { #expect(id.flatMap { records.table.kind(of: $0) } == .ready) }
        #expect(records.nextBlocked(at: 0) == nil)
    }

    @Test func noRecordIsTakenOutWhileNoEndpointMayBeCalled() {
        var records = RecordsToCall()
        let ids = records.arrive(2)
        _ = records.dispatch.gates.gated(0, until: records.now + 2_000_000_000, at: records.now)
        #expect(records.nextReady() == nil)
        #expect(records.nextCall() == 102)
        records.seconds = 102
        #expect(records.nextCall() == nil)
        let probe = records.callNext()
        #expect(probe != nil)
        // The endpoint asked to wait, so a single probe is out at first.
        #expect(records.nextReady() == nil)
        #expect(ids.contains { $0 == probe })
    }

    @Test func theRateIsKeptAndTellsWhenTheNextCallMayBeMade() {
        var records = RecordsToCall { $0.rate = RateLimit.Settings(rate: 4, burst: 1) }
        records.dispatch.gates.shareChanged(to: 0.5, at: records.now)
        let ids = records.arrive(2)
        #expect(records.callNext() == ids[0])
        #expect(records.nextReady() == nil)
        #expect(records.nextCall() == 100.5)
        records.seconds = 100.5
        #expect(records.callNext() == ids[1])
    }

    @Test func aSlowEndpointLeavesSlotsToTheOthers() {
        var records = RecordsToCall([UpstreamEndpoint("one"), UpstreamEndpoint("two")]) { $0.concurrency = 4 }
        let ids = records.arrive(5)
        for id in ids.prefix(3) { #expect(records.callNext(to: 0) == id) }
        // Nothing has shown that this endpoint gives its slots back soon.
        #expect(records.nextReady() == ids[3])
        #expect(records.plan(ids[3], to: 0) == .blocked)
        #expect(records.callNext(to: 1) == ids[4])
    }

    /// After a rebalance a slow endpoint would otherwise take its share once more.
    @Test func callsWhoseRecordsAreGoneTakeTheShareOfTheirEndpoint() {
        var records = RecordsToCall([UpstreamEndpoint("one"), UpstreamEndpoint("two")]) { $0.concurrency = 4 }
        let gone = records.arrive(3)
        for id in gone {
            #expect(records.callNext(to: 0) == id)
            records.orphan(id)
        }
        let ids = records.arrive(2)
        #expect(records.nextReady() == ids[0])
        #expect(records.plan(ids[0], to: 0) == .blocked)
        #expect(records.callNext(to: 1) == ids[1])
        for id in gone { records.endOrphan(id) }
        #expect(records.nextBlocked(at: 0) == ids[0])
    }

    /// Calls that hang were once forgotten with their records, and an endpoint that answers a few at once got all slots.
    @Test func callsWhoseRecordsAreGoneTellHowLongTheyTake() throws {
        var records = RecordsToCall([UpstreamEndpoint("one"), UpstreamEndpoint("two")]) { $0.concurrency = 8 }
        for _ in 0..<20 {
            let id = try required(records.arriveAndCall(to: 0))
            records.seconds += 0.01
            _ = records.answer(id)
        }
        records.seconds += 2
        #expect(records.dispatch.gates.endpoints[0].isQuick(at: records.now))
        let gone = records.arrive(6)
        for id in gone {
            #expect(records.callNext(to: 0) == id)
            records.orphan(id)
        }
        records.seconds += 10
        #expect(!records.dispatch.gates.endpoints[0].isQuick(at: records.now))
        for id in gone { records.endOrphan(id) }
        #expect(!records.dispatch.gates.endpoints[0].isQuick(at: records.now))
    }

    /// A rebalance once made all slots those of calls that hang: only calls of records in hand were cut short.
    @Test func callsWhoseRecordsAreGoneAreCutShortFirst() throws {
        var records = RecordsToCall { $0.concurrency = 8 }
        for _ in 0..<40 {
            let id = try required(records.arriveAndCall())
            records.seconds += 0.05
            _ = records.answer(id)
        }
        let gone = records.arrive(6)
        for id in gone {
            #expect(records.callNext() == id)
            records.orphan(id)
        }
        for id in records.arrive(2) { #expect(records.callNext() == id) }
        _ = records.arrive()
        var cut: [EntryID] = []
        for _ in 0..<600 {
            records.seconds += 0.1
            cut += records.cutOverdue()
        }
        #expect(cut.count >= 4 && Set(cut.prefix(4)).isSubset(of: gone), "\(cut)")
        #expect(Set(cut).count == cut.count)
    }

    /// An endpoint that answers another one's follow-ups by hanging once took all slots: they passed by its share.
    @Test func aFollowUpToAnotherEndpointNeedsAPlaceInItsShare() throws {
        var records = RecordsToCall([UpstreamEndpoint("one"), UpstreamEndpoint("two")]) { $0.concurrency = 4 }
        let slow = records.arrive(2)
        for id in slow { #expect(records.callNext(to: 1) == id) }
        let id = try required(records.arriveAndCall(to: 0))
        let call = records.call(to: 1)
        let change = records.dispatch.followUpWanted(by: id, call, in: &records.table, at: records.now)
        #expect(change == nil && records.table.followUp(of: id) != nil)
        _ = records.answer(slow[0])
        #expect(records.nextReady() == id)
        #expect(records.plan(id, to: 1) == .calling(Dispatch.Change()))
    }

    /// With four endpoints, an endpoint's share of the slots is as large as the limit for records that fail alone.
    @Test func recordsThatFailAloneTakeHalfOfTheirEndpointsShare() throws {
        let endpoints = (0..<4).map { UpstreamEndpoint("\($0)") }
        var records = RecordsToCall(endpoints) { $0.concurrency = 16 }
        for endpoint in 1...3 { _ = records.answer(try required(records.arriveAndCall(to: endpoint))) }
        var failed: [EntryID] = []
        for _ in 0..<2 {
            let ids = records.arrive(4)
            for id in ids { #expect(records.callNext(to: 0) == id) }
            _ = records.answer(ids[3])
            for id in ids.prefix(3) { _ = records.fail(id) }
            failed += ids.prefix(3)
        }
        for id in failed { records.comeBack(id) }
        var called = 0
        while called < 16, records.callNext(to: 0) != nil { called += 1 }
        #expect(called == 2)
    }

    /// A page that a phone's callback leads to once slowed down everybody's calls by its answer 429.
    @Test(arguments: [1, 2])
    func anEndpointThatThrottlesSlowsNoOther(endpoints: Int) throws {
        var records = RecordsToCall((0..<endpoints).map { UpstreamEndpoint("\($0)") }) {
            $0.rate = RateLimit.Settings(rate: 100)
        }
        records.dispatch.gates.shareChanged(to: 1, at: records.now)
        for _ in 0..<200 {
            records.seconds += 0.1
            guard let id = records.arriveAndCall(to: endpoints - 1) else { continue }
            _ = records.fail(id, status: 429)
        }
        let factor = records.dispatch.gates.pace.rate?.factor ?? 0
        #expect(endpoints == 1 ? factor < 1 : factor == 1)
    }

    /// Ten endpoints are configured, and two are in use. A tenth of the slots was once too little for a slow one.
    @Test func endpointsThatNobodyCallsTakeNoShare() throws {
        var records = RecordsToCall((0..<10).map { UpstreamEndpoint("\($0)") }) { $0.concurrency = 20 }
        _ = records.answer(try required(records.arriveAndCall(to: 1)))
        var called = 0
        for id in records.arrive(20) where records.nextReady() == id {
            guard case .calling = records.plan(id, to: 0) else { break }
            called += 1
        }
        #expect(called == 6)
    }

    /// The calls of the slow endpoint began while the limit was higher.
    @Test(arguments: [1, 4])
    func aSlowEndpointLeavesSlotsToTheOthersAlsoWhenTheAdaptiveLimitFalls(least: Int) {
        var records = RecordsToCall([UpstreamEndpoint("one"), UpstreamEndpoint("two")]) {
            $0.concurrency = 8
            $0.pace = .adaptive
            $0.leastConcurrency = least
        }
        for id in records.arrive(6) { #expect(records.callNext(to: 0) == id) }
        // Every second call is answered, so that the breaker stays closed.
        for turn in 0..<1_000 where records.dispatch.gates.pace.callLimit(at: records.now) > 4 {
            guard let id = records.arrive().first, records.callNext(to: 1) == id else { break }
            records.seconds += 0.05
            if turn.isMultiple(of: 2) { _ = records.fail(id) } else { _ = records.answer(id) }
        }
        #expect(records.dispatch.gates.pace.callLimit(at: records.now) == 4)
        #expect(records.table.callsInFlight(to: 0) == 6)
        let next = records.arrive()
        #expect(records.callNext(to: 1) == next[0])
    }

    /// Both endpoints are in doubt, and only one of the fresh records is for the first of them.
    @Test func recordsThatWaitElsewhereTakeNoTurnOfTheProbes() throws {
        var records = RecordsToCall([UpstreamEndpoint("one"), UpstreamEndpoint("two")]) { $0.concurrency = 8 }
        let waiting = records.arrive(3)
        for endpoint in 0...1 {
            _ = records.dispatch.gates.gated(endpoint, until: records.now + 2_000_000_000, at: records.now)
        }
        for id in waiting { records.dispatch.queues.block(id, at: 0, in: &records.table) }
        let fresh = records.arrive(9)
        _ = records.dispatch.gates.gated(1, until: records.now + 90_000_000_000, at: records.now)
        records.seconds = 102
        var asked: [EntryID] = []
        while let id = records.nextBlocked(at: 0) {
            asked.append(id)
            if records.plan(id, to: id == fresh[0] ? 0 : 1) != .blocked { break }
        }
        #expect(asked.last == fresh[0] && Set(asked).isDisjoint(with: waiting))
    }

    @Test func aFollowUpIsMadeAtOnceAlsoWhereNoSlotIsFree() throws {
        var records = RecordsToCall { $0.concurrency = 1 }
        let ids = records.arrive(2)
        #expect(records.callNext() == ids[0])
        #expect(records.nextReady() == nil)
        let call = records.call()
        let change = records.dispatch.followUpWanted(by: ids[0], call, in: &records.table, at: records.now)
        #expect(change == Dispatch.Change())
        #expect(records.table.call(of: ids[0])?.number == 2)
    }

    @Test(arguments: [true, false])
    func aFollowUpThatHasToWaitKeepsItsCallUnlessItIsPerishable(isPerishable: Bool) {
        var records = RecordsToCall()
        let ids = records.arrive(2)
        #expect(records.callNext() == ids[0])
        _ = records.dispatch.gates.gated(0, until: records.now + 1, at: records.now)
        let call = records.call(isPerishable: isPerishable)
        let change = records.dispatch.followUpWanted(by: ids[0], call, in: &records.table, at: records.now)
        #expect(change == nil)
        #expect(records.table.kind(of: ids[0]) == .ready)
        #expect((records.table.followUp(of: ids[0]) == nil) == isPerishable)
    }

    @Test func aRecordThatHasLeftThePlaceIsPassedOver() {
        var records = RecordsToCall()
        let ids = records.arrive(3)
        records.table.remove(ids[0])
        #expect(records.nextReady() == ids[1])
        records.table.remove(ids[2])
        records.dispatch.forgetWhoLeft([.ready], in: &records.table)
        #expect(records.dispatch.queues.isEmpty)
    }
}

/// From the answer back to a place where the record waits.
struct DispatchAnswerTests {
    /// Ten records have failed, one after the other.
    private func brokenDown() -> RecordsToCall {
        var records = RecordsToCall { $0.concurrency = 64 }
        for id in records.arrive(10) {
            #expect(records.callNext() == id)
            let failure = records.fail(id)
            #expect(!failure.countsAgainstRecord)
            let isTenth = failure.change.breaker == 0
            #expect(isTenth == (records.dispatch.gates.endpoints[0].breaker.state != .closed))
        }
        return records
    }

    @Test func tenFailuresInARowCloseTheEndpointAndTheChangeIsTold() {
        var records = self.brokenDown()
        #expect(records.dispatch.gates.endpoints[0].breaker.state != .closed)
        _ = records.arrive()
        #expect(records.nextReady() == nil)
        #expect(records.nextCall() ?? 0 > 100)
    }

    /// A probe of a long outage would otherwise wait out a backoff of an hour.
    @Test func recordsThatFailedInDoubtComeBackWithinASecondOnceTheEndpointIsWell() throws {
        var records = self.brokenDown()
        records.seconds = 200
        let failed = records.arrive()[0]
        #expect(records.callNext() == failed)
        _ = records.fail(failed)
        #expect(records.table.kind(of: failed) == .backingOff)
        var changes: [Int?] = []
        for second in 1...20 where records.dispatch.gates.endpoints[0].breaker.state != .closed {
            records.seconds = 200 + Double(second) * 40
            _ = records.arrive()
            while let id = records.callNext() { changes.append(records.answer(id).breaker) }
        }
        #expect(changes == [nil, nil, 0])
        #expect(records.dispatch.gates.endpoints[0].breaker.state == .closed)
        records.wake()
        records.seconds += 1
        records.wake()
        #expect(records.table.kind(of: failed) == .ready)
    }

    @Test func aFailureCountsAgainstTheRecordOnlyWhereOthersFareWell() {
        var records = RecordsToCall { $0.concurrency = 64 }
        let ids = records.arrive(22)
        for id in ids { #expect(records.callNext() == id) }
        #expect(!records.fail(ids[0]).countsAgainstRecord)
        for id in ids.dropFirst(2) { _ = records.answer(id) }
        #expect(records.fail(ids[1]).countsAgainstRecord)
    }

    @Test func aRecordThatFailsWhereOthersSucceedTakesAQuarterOfTheSlots() {
        var records = RecordsToCall { $0.concurrency = 4 }
        let ids = records.arrive(3)
        for id in ids { #expect(records.callNext() == id) }
        _ = records.answer(ids[0])
        for id in ids.dropFirst() {
            records.failAndComeBack(id)
        }
        #expect(records.callNext() != nil)
        #expect(records.table.outlierCalls(to: 0) == 1)
        #expect(records.nextReady() == nil)
        let fresh = records.arrive()
        #expect(records.callNext() == fresh[0])
    }

    /// They came to wait there while its breaker was open.
    @Test func aRecordThatFailsWhereOthersSucceedTakesAQuarterInFrontOfItsEndpointToo() throws {
        var records = RecordsToCall { $0.concurrency = 8 }
        let ids = records.arrive(5)
        for id in ids { #expect(records.callNext() == id) }
        _ = records.answer(ids[0])
        for id in ids.dropFirst() {
            records.failAndComeBack(id)
            records.dispatch.queues.remove(from: .ready) { $0 == id }
            records.dispatch.queues.block(id, at: 0, in: &records.table)
        }
        for _ in 0..<2 {
            let id = try required(records.nextBlocked())
            #expect(records.plan(id) == .calling(Dispatch.Change()))
        }
        #expect(records.table.outlierCalls(to: 0) == 2)
        #expect(records.nextBlocked() == nil)
        let fresh = records.arrive()
        #expect(records.callNext() == fresh[0])
    }

    /// Sixteen calls hang and take all slots, and others were answered in time before. Half of the slots is what they may
    /// take while a record waits.
    @Test func callsThatHangWhileOthersWaitAreCutShort() throws {
        var records = RecordsToCall { $0.concurrency = 16 }
        for _ in 0..<80 { _ = records.answer(try required(records.arriveAndCall())) }
        let hanging = records.arrive(16)
        for id in hanging { #expect(records.callNext() == id) }
        records.seconds += 2
        #expect(records.cutOverdue() == [])
        _ = records.arrive()
        records.seconds += 0.2
        #expect(records.nextReady() == nil)
        #expect(records.nextCall() ?? .infinity <= records.seconds)
        #expect(records.cutOverdue() == Array(hanging.prefix(8)))
        // A cut is counted neither against the record nor against the breaker.
        for id in hanging.prefix(8) { #expect(!records.fail(id).countsAgainstRecord) }
        #expect(records.dispatch.gates.endpoints[0].breaker.state == .closed)
        _ = records.answer(try required(records.callNext()))
        records.seconds += 0.4
        #expect(records.cutOverdue() == [])
        records.seconds += 3_600
        records.wake()
        #expect(records.table[hanging[0]].failuresAlone == 3)
    }

    /// At the beginning of an outage, calls for sound records fail soon after others were answered.
    @Test func failuresAfterTheSameAnswerCountOnce() throws {
        var records = RecordsToCall { $0.concurrency = 64 }
        let sound = try required(records.arriveAndCall())
        let atFault = try required(records.arriveAndCall())
        for _ in 0..<3 {
            _ = records.answer(try required(records.arriveAndCall()))
            records.failAndComeBack(atFault)
            #expect(records.callNext() == atFault)
        }
        for _ in 0..<3 {
            records.failAndComeBack(sound)
            #expect(records.callNext() == sound)
        }
        #expect(records.table[atFault].failuresAlone == 3)
        #expect(records.table[sound].failuresAlone == 1)
        // An outage does not clear a record that is probably at fault.
        records.seconds += 10
        records.failAndComeBack(atFault)
        #expect(records.table[atFault].failuresAlone == 3 && records.table[atFault].failedAlone)
    }

    /// Its timeout tells of the outage, although others are answered again.
    @Test func aCallThatBeganBeforeTheBreakerOpenedDoesNotFailAlone() throws {
        var records = RecordsToCall { $0.concurrency = 64 }
        let sound = try required(records.arriveAndCall())
        while records.dispatch.gates.endpoints[0].breaker.state == .closed {
            records.seconds += 1
            _ = records.fail(try required(records.arriveAndCall()))
        }
        records.seconds += 60
        while records.dispatch.gates.endpoints[0].breaker.state != .closed {
            _ = records.answer(try required(records.arriveAndCall()))
        }
        _ = records.fail(sound)
        #expect(records.table[sound].failuresAlone == 0)
    }

    /// Such a record takes no quarter of the slots, so nothing else stops it from taking all.
    @Test func callsMayBeCutShortOfARecordThatFailedInAnOutageButNotOfACopy() throws {
        var records = RecordsToCall { $0.concurrency = 8 }
        let hanging = records.arrive(8)
        for id in hanging { #expect(records.callNext() == id) }
        for id in hanging { _ = records.fail(id) }
        let waiting = try required(records.arriveAndCall())
        _ = records.fail(waiting)
        records.seconds += 60
        for _ in 0..<80 { _ = records.answer(try required(records.arriveAndCall())) }
        records.seconds += 3_600
        records.wake()
        records.table[hanging[0]].isCopy = true
        var called: Set<EntryID> = []
        while let id = records.callNext() { called.insert(id) }
        #expect(called.count == 8)
        #expect(records.cutOverdue() == [])
        records.seconds += 2
        _ = records.cutOverdue()
        records.seconds += 0.2
        let cut = records.cutOverdue()
        #expect(cut.count == 4 && !cut.contains(hanging[0]))
    }

    /// Nothing else wakes the worker then: its calls hang.
    @Test func theTimeIsKnownAtWhichAnEndpointMayHaveMoreSlots() throws {
        let endpoints = ["main", "side"].map { UpstreamEndpoint($0) }
        var records = RecordsToCall(endpoints) { $0.concurrency = 4 }
        // After a good answer, the time of overdue calls would be known too.
        for _ in 0..<9 { _ = records.fail(try required(records.arriveAndCall(to: 1))) }
        records.seconds += 1
        _ = try required(records.arriveAndCall())
        for _ in 0..<2 { _ = try required(records.arriveAndCall(to: 1)) }
        #expect(records.arriveAndCall(to: 1) == nil)
        #expect(records.nextCall() == 102)
        records.seconds = 102
        #expect(records.nextBlocked(at: 1) != nil)
    }

    @Test func anEndpointMayHaveMoreSlotsWhenNobodyHasCalledTheOtherForLong() throws {
        let endpoints = ["main", "side"].map { UpstreamEndpoint($0) }
        var records = RecordsToCall(endpoints) { $0.concurrency = 8 }
        _ = records.answer(try required(records.arriveAndCall()))
        records.seconds += 4
        for _ in 0..<4 { _ = try required(records.arriveAndCall(to: 1)) }
        records.seconds += 4
        #expect(records.arriveAndCall(to: 1) == nil)
        #expect(records.nextCall() == 110)
        records.seconds = 110
        #expect(records.nextBlocked(at: 1) != nil)
    }

    /// Where many calls hang, the endpoint may be ill: a record that fails beside them is not to blame.
    @Test func whatIsCutShortSpeaksForTheRecordsThatFailBesideIt() throws {
        var records = RecordsToCall { $0.concurrency = 17 }
        for _ in 0..<80 { _ = records.answer(try required(records.arriveAndCall())) }
        for id in records.arrive(16) { #expect(records.callNext() == id) }
        // The youngest call stays.
        records.seconds += 0.1
        let other = try required(records.arriveAndCall())
        _ = records.arrive()
        #expect(records.cutOverdue() == [])
        records.seconds += 2
        #expect(records.cutOverdue() == [])
        records.seconds += 0.2
        let cut = records.cutOverdue()
        #expect(cut.count == 9 && !cut.contains(other))
        for id in cut { _ = records.fail(id) }
        for _ in 0..<40 { _ = records.answer(try required(records.callNext() ?? records.arriveAndCall())) }
        #expect(!records.fail(other).countsAgainstRecord)
    }

    /// The answers may lie in the sockets of a process that has stood still.
    @Test func nothingIsCutShortAfterAnAbsence() throws {
        var records = RecordsToCall { $0.concurrency = 16 }
        for _ in 0..<80 { _ = records.answer(try required(records.arriveAndCall())) }
        for id in records.arrive(16) { #expect(records.callNext() == id) }
        _ = records.arrive()
        #expect(records.cutOverdue() == [])
        records.seconds += 3
        #expect(records.cutOverdue() == [])
        records.seconds += 0.09
        #expect(records.cutOverdue() == [])
        records.seconds += 0.02
        #expect(records.cutOverdue().count == 8)
    }

    @Test func aHeldLaneSendsOneProbeAndItsAnswerReleasesTheRest() throws {
        var records = RecordsToCall { $0.concurrency = 64 }
        let ids = records.arrive(4)
        #expect(records.callNext() == ids[0])
        #expect(records.hold(ids[0]) == .begun(isNews: true))
        for id in ids.dropFirst() {
            #expect(records.nextReady() == id)
            #expect(records.plan(id) == .held)
        }
        let other = records.arrive()
        #expect(records.callNext(on: "another") == other[0])
        #expect(records.nextCall() == 105)
        records.wake()
        #expect(records.nextReady() == nil)

        records.seconds = 105
        records.wake()
        let probe = try required(records.callNext())
        // A record that has never asked for the hold may show that the lane is well.
        #expect(probe != ids[0])
        #expect(records.nextCall() == nil)
        #expect(records.answer(probe).openLanes == ["lane"])
        records.wake()
        let released = Set(ids.dropFirst()).subtracting([probe])
        for id in released { #expect(records.table.kind(of: id) == .ready) }
        // The record that asked for the hold waits by itself, so that it is not in the way of others.
        #expect(records.table.kind(of: ids[0]) == .backingOff)
        #expect(records.dispatch.queues.held.isEmpty)
    }

    /// The record that was released to probe the whole upstream goes along a lane that is held.
    @Test func aHeldLaneDoesNotUseUpTheProbeOfTheUpstream() throws {
        var records = RecordsToCall { $0.concurrency = 64 }
        _ = records.arrive(2)
        _ = records.dispatch.gates.laneHeld(Lanes.upstream, by: 0, after: nil, at: records.now)
        while let id = records.nextReady() { #expect(records.plan(id) == .held) }
        records.seconds = 103
        _ = records.dispatch.gates.laneHeld("lane", by: 0, after: nil, at: records.now)
        records.seconds = 105
        records.wake()
        let first = try required(records.nextReady())
        #expect(records.plan(first, on: "lane") == .held)
        records.wake()
        let second = try required(records.callNext(on: "another"))
        #expect(first != second)
        #expect(records.answer(second).openLanes == [Lanes.upstream])
    }
}

/// Returns a value that was just taken out. `#require` itself cannot call what takes it out.
private func required(_ id: EntryID?) throws -> EntryID { try #require(id) }
