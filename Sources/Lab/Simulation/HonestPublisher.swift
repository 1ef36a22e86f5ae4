package import Records
import ServiceKit

/// A publisher that harms no other user. Its records are valid, come at an even pace and have a key each, and
/// a judge checks how long they take.
package final class HonestPublisher {
    /// The judge of this publisher's records.
    package let judge: HonestJudge
    private unowned let cluster: SimulatedCluster
    private unowned let timeline: Timeline
    /// The headers of all its records.
    private var headers: [RecordHeader] = []

    /// Makes a publisher for a cluster, and lets its judge see every outcome there. A cluster can have one
    /// such publisher.
    package convenience init(_ simulation: Simulation, bound: Duration = HonestJudge.bound) {
        self.init(simulation.cluster, simulation.timeline, bound: bound)
    }

    init(_ cluster: SimulatedCluster, _ timeline: Timeline, bound: Duration = HonestJudge.bound) {
        self.cluster = cluster
        self.timeline = timeline
        self.judge = HonestJudge(bound: bound)
        let judge = self.judge
        cluster.outcomeSeen = { [unowned cluster] outcome in
            guard let complaint = judge.outcomeSeen(outcome, at: cluster.clock.now.monotonic) else { return }
            cluster.violations.append(complaint)
        }
    }

    /// Publishes records at an even pace from now on, to one partition after the other.
    ///
    /// - Parameters:
    ///   - length: how long it publishes records that are judged.
    ///   - burst: how many records are published at the same moment. In a large fleet each moment gives every worker a
    ///     turn.
    ///   - tail: how long it goes on with records that are not judged. Poison that has no healthy record beside it
    ///     cannot be told from an outage, so the last records that are judged need others beside them.
    ///   - record: gives the key and the value of each record, by its number from 0.
    package func publish(
        perSecond rate: Int,
        for length: Duration,
        inBurstsOf burst: Int = 1,
        then tail: Duration = .zero,
        headers: [RecordHeader] = [RecordHeader("lane", "a")],
        record: @escaping (Int) -> (key: String, value: String) = { ("honest \($0)", "ok") }
    ) {
        self.headers = headers
        let gap = Duration.seconds(1) / rate
        let count = Int(length / gap)
        for number in 0..<count + Int(tail / gap) {
            self.timeline.after(gap * (number / burst * burst)) { [self] in
                let partition = Int32(number % self.cluster.partitions)
                let (key, value) = record(number)
                let offset = self.cluster.append(value, key: key, to: partition, headers: headers)
                guard number < count else { return }
                let name = RecordName(partition: partition, offset: offset)
                self.judge.recordPublished(name, at: self.cluster.clock.now.monotonic)
            }
        }
    }

    /// Publishes several records to one partition now, each with a key of its own, and with the headers of the others.
    func publishAtOnce(_ count: Int, to partition: Int32) {
        for number in 0..<count {
            let key = "again \(partition) \(number)"
            let offset = self.cluster.append("ok", key: key, to: partition, headers: self.headers)
            let name = RecordName(partition: partition, offset: offset)
            self.judge.recordPublished(name, at: self.cluster.clock.now.monotonic)
        }
    }

    /// Adds a violation if a record is late. The simulation should call this about once a second.
    package func look() {
        guard let complaint = self.judge.overdue(at: self.cluster.clock.now.monotonic) else { return }
        self.cluster.violations.append(complaint)
    }
}
