import Records
import ServiceKit
import UpstreamHTTP
import WireFormats

@testable import WorkerKit

/// Records in hand and the `Dispatch` that calls for them, at a time that the test sets. There is no broker, no
/// upstream and no engine.
struct RecordsToCall {
    var dispatch: Dispatch
    var table: RecordTable
    var random = SplitMix64(seed: 7)
    /// The monotonic time in seconds.
    var seconds = 100.0
    private var offset: Int64 = 0

    init(
        _ endpoints: [UpstreamEndpoint] = [UpstreamEndpoint()],
        adjust: (inout EngineSettings) -> Void = { _ in }
    ) {
        var settings = EngineSettings(
            inputTopic: "work",
            groupID: "workers",
            worker: "worker",
            workerVersion: "1",
            upstream: "upstream"
        )
        settings.concurrency = 2
        adjust(&settings)
        self.dispatch = Dispatch(endpoints, settings)
        self.table = RecordTable(endpoints: endpoints.count)
    }

    var now: Int64 { Int64(self.seconds * 1_000_000_000) }

    /// Takes new records in hand, which wait for a slot.
    mutating func arrive(_ count: Int = 1) -> [EntryID] {
        (0..<count).map { _ in
            self.offset += 1
            let id = self.table.add(
                .undated(offset: self.offset)
            )
            self.dispatch.queues.makeReady(id, with: nil, in: &self.table)
            return id
        }
    }

    mutating func nextReady() -> EntryID? {
        self.dispatch.nextReady(in: &self.table, at: self.now, using: &self.random)
    }

    mutating func nextBlocked(at endpoint: Int = 0) -> EntryID? {
        self.dispatch.nextBlocked(at: endpoint, in: &self.table, at: self.now, using: &self.random)
    }

    func call(to endpoint: Int = 0, on lane: String = "lane", isPerishable: Bool = false)
        -> Call<any Sendable>
    {
        Call(
            HTTPRequest(method: .get, url: "http://upstream"),
            for: 1,
            lane: lane,
            endpoint: endpoint,
            isPerishable: isPerishable,
            isRepeatable: true
        )
    }

    /// The handler has planned this call for a ready record.
    mutating func plan(_ id: EntryID, to endpoint: Int = 0, on lane: String = "lane") -> Dispatch.Place {
        let call = self.call(to: endpoint, on: lane)
        return self.dispatch.callWanted(by: id, call, in: &self.table, at: self.now)
    }

    /// Makes a call for the next ready record; nil if there is none, or it had to wait elsewhere.
    mutating func callNext(to endpoint: Int = 0, on lane: String = "lane") -> EntryID? {
        guard let id = self.nextReady(), case .calling = self.plan(id, to: endpoint, on: lane) else {
            return nil
        }
        return id
    }

    /// Makes a call for a new record.
    mutating func arriveAndCall(to endpoint: Int = 0) -> EntryID? {
        _ = self.arrive()
        return self.callNext(to: endpoint)
    }

    /// The partition of the record was given up, while a call for it is in flight.
    mutating func orphan(_ id: EntryID) {
        guard let call = self.table.call(of: id) else { return }
        self.table.remove(id)
        self.dispatch.gates.callOrphaned(call, at: self.now)
    }

    /// The completion of a call has come whose record is gone.
    mutating func endOrphan(_ id: EntryID) {
        guard let call = self.table.orphanEnded(id) else { return }
        self.dispatch.gates.orphanEnded(call, at: self.now)
    }

    /// Returns the calls that are to be ended because others wait.
    mutating func cutOverdue() -> [EntryID] {
        self.dispatch.cutOverdue(in: &self.table, at: self.now).map(\.id)
    }

    /// The upstream has answered well, and the record is settled.
    mutating func answer(_ id: EntryID) -> Dispatch.Change {
        guard let call = self.completed(id, status: 200) else { return Dispatch.Change() }
        let change = self.dispatch.answered(
            call,
            laneIsFine: true,
            in: &self.table,
            at: self.now,
            using: &self.random
        )
        self.dispatch.gates.callEnded(call, at: self.now)
        let outcome = OutboundRecord(topic: "result", partition: 0)
        self.table.move(id, to: .settling(Publication([outcome], for: .end(Settlement(fate: .succeeded)))))
        self.table.remove(id)
        return change
    }

    /// The upstream has failed, and the record waits for an hour.
    mutating func fail(_ id: EntryID, status: Int = 500) -> (
        countsAgainstRecord: Bool, change: Dispatch.Change
    ) {
        guard let call = self.completed(id, status: status) else { return (false, Dispatch.Change()) }
        let failure = self.dispatch.failed(
            id,
            call,
            gatesUpstream: false,
            in: &self.table,
            at: self.now,
            using: &self.random
        )
        let isInDoubt = self.dispatch.gates.endpoints[call.endpoint].breaker.state != .closed
        self.dispatch.queues.backOff(
            id,
            until: self.now + 3_600_000_000_000,
            because: isInDoubt ? .doubt : .other,
            in: &self.table
        )
        self.dispatch.gates.callEnded(call, at: self.now)
        return failure
    }

    /// The upstream has failed, and the record is ready for its next call at once.
    mutating func failAndComeBack(_ id: EntryID) {
        _ = self.fail(id)
        self.comeBack(id)
    }

    /// The wait of a record that has failed is over.
    mutating func comeBack(_ id: EntryID) {
        self.dispatch.queues.remove(from: .backingOff) { $0 == id }
        self.dispatch.queues.makeReady(id, from: .backingOff, in: &self.table)
    }

    /// The handler has asked for a hold of the record's lane, and the record waits for it.
    mutating func hold(_ id: EntryID) -> LaneHealth.Hold? {
        guard let call = self.completed(id, status: 401) else { return nil }
        let previous = self.table[id].lastHold
        let hold = self.dispatch.gates.laneHeld(call.lane, by: call.number, after: previous, at: self.now)
        self.table.withEntry(id) { entry in
            entry.holds += 1
            entry.lastHold = call.number
        }
        self.dispatch.queues.hold(id, along: call.lane, in: &self.table)
        self.dispatch.gates.callEnded(call, at: self.now)
        return hold
    }

    mutating func wake() { self.dispatch.wake(in: &self.table, at: self.now, using: &self.random) }

    /// The time in seconds at which the next call may be made; nil if none waits for a time.
    mutating func nextCall() -> Double? {
        self.dispatch.nextCall(in: &self.table, at: self.now).map { Double($0) / 1_000_000_000 }
    }

    private mutating func completed(_ id: EntryID, status: Int) -> CallInFlight? {
        guard let call = self.table.call(of: id) else { return nil }
        let exchange = Exchange.response(HTTPResponse(status: status))
        self.dispatch.callCompleted(call, exchange, in: &self.table, at: self.now)
        return call
    }
}
