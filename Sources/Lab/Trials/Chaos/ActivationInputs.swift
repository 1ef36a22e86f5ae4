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

    init(topic: String, _ options: ChaosOptions) {
        self.make = Activations(topic: topic, now: Moment.now.wall)
        self.adversary = options.hasAdversary ? ChaosAdversary() : nil
        self.peace = options.length * 0.7
        self.length = options.length
    }

    mutating func next(at time: Duration, using random: inout SplitMix64) -> LoadInput {
        let other = self.adversary?.draw(at: time, doesHarm: time < self.peace, using: &random)
        let drawn = other?.kind ?? InputKind.drawn(using: &random)
        let kind = time >= self.length && drawn.needsCompany ? .json : drawn
        let key = other?.key ?? Int.random(in: 0..<Self.keys, using: &random)
        return LoadInput(
            record: kind.record(&self.make),
            kind: kind,
            key: key,
            isHonest: ChaosAdversary.isHonest(key: key)
        )
    }
}
