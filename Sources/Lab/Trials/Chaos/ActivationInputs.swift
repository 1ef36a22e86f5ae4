import Harness
import Records
import ServiceKit

/// The activations of a chaos run: the records of the load, and with an adversary the records of other
/// publishers as well.
struct ActivationInputs: LoadSource {
    /// The number of different keys in the load.
    static let keys = 400

    private var make: Activations
    private var adversary: ChaosAdversary?
    /// The time from the start of the load after which the adversary publishes nothing harmful any more.
    private let peace: Duration
    /// The length of the load. After it, only records are published that need no others beside them.
    private let length: Duration
    /// The number of the topic's partitions.
    private var partitions = ChaosCluster.partitions

    init(topic: String, _ options: ChaosOptions) {
        self.make = Activations(topic: topic, now: Moment.now.wall)
        self.adversary = options.hasAdversary ? ChaosAdversary() : nil
        self.peace = options.length * 0.7
        self.length = options.length
    }

    mutating func next(at time: Duration, using random: inout SplitMix64) -> LoadInput {
        let hasGrown = self.partitions > ChaosCluster.partitions
        let other = self.adversary?.draw(
            at: time,
            doesHarm: time < self.peace,
            hasGrown: hasGrown,
            using: &random
        )
        let drawn = other?.kind ?? InputKind.drawn(using: &random)
        let kind = time >= self.length && drawn.needsCompany ? .json : drawn
        let key = other?.key ?? Int.random(in: 0..<Self.keys, using: &random)
        var record = kind.record(&self.make)
        if self.adversary != nil { record.partition = self.partition(of: key) }
        return LoadInput(
            record: record,
            kind: kind,
            key: key,
            isHonest: ChaosAdversary.isHonest(key: key)
        )
    }

    mutating func grew(to partitions: Int) { self.partitions = partitions }

    /// The partition of a key in a topic that grows. A partitioner would move most keys to other partitions at that
    /// moment, and no order is kept between the old and the new one. So the keys from before stay where they are, and
    /// the new partitions have the keys of newcomers.
    private func partition(of key: Int) -> Int32 {
        let old = ChaosCluster.partitions
        guard ChaosAdversary.isNewcomer(key: key), self.partitions > old else { return Int32(key % old) }
        return Int32(old + key % (self.partitions - old))
    }
}
