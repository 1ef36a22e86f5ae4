import Harness

/// The publishers beside the load of a chaos run: honest users, and users who do harm.
///
/// Each honest user has a key of its own, so only the workers can delay its records. The harmful users
/// publish poison, each record under a key of its own, and floods of values that are no valid records.
struct ChaosAdversary {
    /// The longest time that an honest record may take, at the 99th percentile. The bound allows for the time
    /// that the faults of such a run take.
    static let bound = Duration.seconds(30)
    static let honestKeys = 2_000
    private static let hostileKeys = 5_000
    /// The time between the starts of two floods.
    private static let floodEvery = Duration.seconds(15)
    /// The number of records in a flood.
    private static let floodSize = 40

    /// The number of all keys in a run. The keys of the load have the first numbers.
    static var keys: Int { ActivationInputs.keys + self.honestKeys + self.hostileKeys }

    private var poisoned = 0
    private var nextFlood = Self.floodEvery / 3
    private var flood = 0

    /// Decides about the next record.
    ///
    /// - Parameters:
    ///   - time: the time since the load began.
    ///   - doesHarm: false towards the end of a run; otherwise the load would have to continue for a long
    ///     time until all poison is dead-lettered.
    /// - Returns: the kind of the record and the number of its key; nil if the record belongs to the load.
    mutating func draw(
        at time: Duration,
        doesHarm: Bool,
        using random: inout some RandomNumberGenerator
    ) -> (kind: InputKind, key: Int)? {
        if doesHarm, time >= self.nextFlood {
            self.nextFlood = time + Self.floodEvery
            self.flood = Self.floodSize
        }
        if self.flood > 0 {
            self.flood -= 1
            return (.notJSON, self.hostileKey(Int.random(in: 0..<Self.hostileKeys, using: &random)))
        }
        switch Int.random(in: 0..<1_000, using: &random) {
        case 0..<2 where doesHarm:
            self.poisoned += 1
            return (.poison, self.hostileKey(self.poisoned))
        case 2..<300:
            let kinds: [InputKind] = [.json, .protobuf, .framed, .event]
            let key = ActivationInputs.keys + Int.random(in: 0..<Self.honestKeys, using: &random)
            return (kinds.randomElement(using: &random) ?? .json, key)
        default: return nil
        }
    }

    private func hostileKey(_ number: Int) -> Int {
        ActivationInputs.keys + Self.honestKeys + number % Self.hostileKeys
    }

    /// Whether this key belongs to an honest user. The waiting time of such a record is checked.
    static func isHonest(key: Int) -> Bool {
        (ActivationInputs.keys..<ActivationInputs.keys + self.honestKeys).contains(key)
    }
}
