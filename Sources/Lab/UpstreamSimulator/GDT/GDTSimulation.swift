/// The whole GDT simulator without its sockets: the judge, the faults and the counters.
package struct GDTSimulation: Sendable {
    /// The judge, with the accounts that are known now.
    package private(set) var judge: GDTJudge
    /// The counters since the start.
    package private(set) var ledger = GDTLedger()
    private var director: FaultDirector

    /// Creates a simulation with counters that are zero.
    package init(judge: GDTJudge, director: FaultDirector) {
        self.judge = judge
        self.director = director
    }

    /// Decides the treatment of a request, and counts it. `now` is in Unix milliseconds.
    package mutating func settle(_ judgement: GDTJudgement, now: Int64) -> Course {
        let course = self.director.course(for: judgement, now: now)
        self.ledger.settled(course, for: judgement)
        return course
    }

    /// Replaces all faults, and counts an outage. `now` is in Unix milliseconds.
    package mutating func set(_ faults: Faults, now: Int64) {
        self.director.set(faults, now: now)
        if faults.down != nil {
            self.ledger.struck(by: .down)
        }
    }

    /// Adds accounts, or replaces the keys of known ones.
    package mutating func add(_ keys: [GDTKeys]) {
        for key in keys {
            self.judge.add(key)
        }
    }
}
