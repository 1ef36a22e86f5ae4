import WorkerKit

/// Who publishes beside the load of a chaos run: users who do nobody harm, and some who do.
///
/// Honest users have keys that they share with nobody, so nothing but the fleet can delay them. The others publish poison,
/// one record to a key, and floods of what is no record at all.
struct ChaosAdversary {
    /// What honest users may wait, at the 99th percentile: as long as what goes wrong in such a run takes.
    static let bound = Duration.seconds(30)
    static let honestKeys = 2_000
    private static let hostileKeys = 5_000
    /// Every so often a flood begins, of so many records.
    private static let floodEvery = Duration.seconds(15)
    private static let floodSize = 40

    /// All keys of a run, those of the load first.
    static var keys: Int { ActivationInputs.keys + self.honestKeys + self.hostileKeys }

    private var poisoned = 0
    private var nextFlood = Self.floodEvery / 3
    private var flood = 0

    /// Decides about the next record.
    ///
    /// - Parameters:
    ///   - time: since the load began.
    ///   - doesHarm: not towards the end, so that the load need not go on for long until all poison is dead.
    /// - Returns: what it is, and the number of its key; nil if it is one of the load.
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

    /// Whether the records of this key are judged by the time they take.
    static func isHonest(key: Int) -> Bool {
        (ActivationInputs.keys..<ActivationInputs.keys + self.honestKeys).contains(key)
    }
}
