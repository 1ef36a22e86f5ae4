import Fleet
import Harness
import ServiceKit

// The faults that an operator causes: a topic that grows, and a group whose position is moved back.
extension FaultDriver {
    // MARK: - Growth

    /// Begins to enlarge the topics of the first workers. An operator enlarges the parking topic first.
    func beginGrowth(to partitions: Int) throws {
        guard let worker = self.targets.first?.crew.worker else { return }
        self.tell("the topics get \(partitions) partitions")
        self.growth = try TopicGrowth(
            of: [worker.parkedTopic, worker.topic],
            to: partitions,
            brokers: self.cluster.brokers
        )
    }

    /// - Returns: the number of partitions, at the moment at which all topics have it; otherwise nil.
    func growWhenPossible() -> Int? {
        guard let growth, growth.turn() else { return nil }
        self.growth = nil
        self.tell("the topics have \(growth.partitions) partitions")
        return growth.partitions
    }

    // MARK: - Moves

    /// Kills the first workers, and begins to move their group back.
    func beginMove(_ fault: ChaosFault) throws {
        guard let target = self.targets.first else { return }
        self.tell("kill -9 every \(target.crew.worker.name), and the group is moved back")
        for slot in target.crew.slots { self.planKill(slot, of: target) }
        let move = try OffsetMove(
            of: target.crew.group,
            on: target.crew.worker.topic,
            brokers: self.cluster.brokers
        )
        self.move = (move, fault)
    }

    /// - Returns: the move, at the moment at which the group is moved; otherwise nil.
    func moveWhenPossible() -> GroupMove? {
        guard let (pending, fault) = self.move, let crew = self.targets.first?.crew, self.kills.isEmpty,
            crew.slots.allSatisfy({ $0.state == .absent }), let move = pending.turn()
        else { return nil }
        self.move = nil
        self.tell("the group is moved back; \(move.count) records follow its new position")
        if move.count == 0 {
            self.object(.harmNotDone, "the group was at its beginning when it was moved back")
        }
        self.restart(crew: crew, fault)
        return move
    }

    /// Starts the workers again although the group was not moved in time.
    func endMove() {
        guard let (_, fault) = self.move, let crew = self.targets.first?.crew else { return }
        self.move = nil
        self.object(.harmNotDone, "the group could not be moved back")
        self.restart(crew: crew, fault)
    }

    private func restart(crew: ChaosCrew, _ fault: ChaosFault) {
        self.restarts += (0..<crew.size).map { (crew, $0, fault) }
    }
}
