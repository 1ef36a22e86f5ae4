/// The whole simulator without its sockets: judge, faults and ledger.
package struct GDTSimulation: Sendable {
    package private(set) var judge: GDTJudge
    package private(set) var ledger = GDTLedger()
    private var director: FaultDirector

    package init(judge: GDTJudge, director: FaultDirector) {
        self.judge = judge
        self.director = director
    }

    /// Decides what becomes of a request and files it. `now` is in Unix milliseconds.
    package mutating func settle(_ judgement: GDTJudgement, now: Int64) -> Course {
        let course = self.director.course(for: judgement, now: now)
        self.ledger.settled(course, for: judgement)
        return course
    }

    package mutating func set(_ faults: Faults, now: Int64) {
        self.director.set(faults, now: now)
        if faults.down != nil {
            self.ledger.struck(by: .down)
        }
    }

    package mutating func add(_ keys: [GDTKeys]) {
        for key in keys {
            self.judge.add(key)
        }
    }
}
