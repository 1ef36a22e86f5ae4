import Records
import WorkerKit

/// The activations of a chaos run: those of the load, and with an adversary those of others beside it.
struct ActivationInputs: LoadSource {
    static let keys = 400

    private var make: Activations
    private var adversary: ChaosAdversary?
    /// The adversary does no harm after this time from the beginning.
    private let peace: Duration

    init(topic: String, _ options: ChaosOptions) {
        self.make = Activations(topic: topic, now: Moment.now.wall)
        self.adversary = options.hasAdversary ? ChaosAdversary() : nil
        self.peace = options.length * 0.7
    }

    mutating func next(at time: Duration, using random: inout SplitMix64) -> LoadInput {
        let other = self.adversary?.draw(at: time, doesHarm: time < self.peace, using: &random)
        let kind = other?.kind ?? InputKind.drawn(using: &random)
        let key = other?.key ?? Int.random(in: 0..<Self.keys, using: &random)
        return LoadInput(
            record: kind.record(&self.make),
            kind: kind,
            key: key,
            isHonest: ChaosAdversary.isHonest(key: key)
        )
    }
}
