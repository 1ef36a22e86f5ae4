internal import Synchronization

/// The GDT simulation with its journal, shared by all connections. A mutex each guards the simulation and the
/// journal.
final class Switchboard: Sendable {
    let connections = Connections()
    private let simulation: Mutex<GDTSimulation>
    private let journal: Mutex<CallJournal>
    /// The clock, in Unix milliseconds.
    private let now: @Sendable () -> Int64

    init(
        _ simulation: GDTSimulation,
        journal: CallJournal = CallJournal(limit: 0),
        now: @escaping @Sendable () -> Int64
    ) {
        self.simulation = Mutex(simulation)
        self.journal = Mutex(journal)
        self.now = now
    }

    /// Judges a request, counts it, and decides on its treatment.
    func receive(target: [UInt8]) -> Course {
        let now = self.now()
        // Judging is the expensive part, and uses no state that other requests change. It therefore runs on a
        // copy of the judge, outside of the lock.
        let judge = self.simulation.withLock { $0.judge }
        let judgement = judge.judge(target: target, now: now.dividedDown(by: 1000))
        var course = self.simulation.withLock { $0.settle(judgement, now: now) }
        course.clickID = judgement.report?.clickID
        if let clickID = course.clickID {
            self.journal.withLock { $0.note(.init(clickID: clickID, isCall: true)) }
        }
        return course
    }

    /// Enters the end of a request into the journal, at the moment at which it is carried out.
    func followed(_ course: Course) {
        guard let clickID = course.clickID else { return }
        let entry = CallJournal.Entry(clickID: clickID, isCall: false, ret: course.spokenRet?.rawValue)
        self.journal.withLock { $0.note(entry) }
    }

    /// The entries of the journal from this number on.
    func calls(from number: Int) -> CallJournal.Page { self.journal.withLock { $0.page(from: number) } }

    func set(_ faults: Faults) {
        let now = self.now()
        self.simulation.withLock { $0.set(faults, now: now) }
    }

    func add(_ keys: [GDTKeys]) {
        self.simulation.withLock { $0.add(keys) }
    }

    var stats: SimulatorStats {
        let (connections, open) = self.connections.counts
        return SimulatorStats(self.ledger, connections: connections, openConnections: open)
    }

    var ledger: GDTLedger {
        self.simulation.withLock { $0.ledger }
    }
}

extension Int64 {
    /// Divides and rounds down, also for negative numbers.
    fileprivate func dividedDown(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = self.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
