import Harness

/// The publishers beside the load of a chaos run: honest users, and users who do harm.
///
/// Each honest user has a key of its own, so only the workers can delay its records. Newcomers are honest too, and
/// publish once the topic has new partitions. The harmful users publish poison, each record under a key of its own, and
/// floods of values that are no valid records. A flood begins with a value and a key that are as large as the topic
/// takes. The users of one account have to wait until GDT knows the account.
struct ChaosAdversary {
    static let honestKeys = 2_000
    private static let newcomers = 100
    private static let lateKeys = 200
    private static let hostileKeys = 5_000
    private static let loneKeys = 5_000
    /// The time between the starts of two floods.
    private static let floodEvery = Duration.seconds(15)
    /// The number of records in a flood.
    private static let floodSize = 40
    /// The largest number of floods that begin with large records, so that the memory of an embedded broker suffices.
    private static let largeFloods = 50

    // The keys of the load have the first numbers, and the others follow in this order.
    private static let honest = ActivationInputs.keys..<ActivationInputs.keys + honestKeys
    private static let new = honest.upperBound..<honest.upperBound + newcomers
    private static let late = new.upperBound..<new.upperBound + lateKeys
    private static let hostile = late.upperBound..<late.upperBound + hostileKeys
    private static let lone = hostile.upperBound..<hostile.upperBound + loneKeys

    /// The number of all keys in a run.
    static var keys: Int { self.lone.upperBound }

    /// The number of records so far that have a key of their own.
    private var loners = 0
    private var floods = 0
    private var nextFlood = Self.floodEvery / 3
    private var flood = 0

    /// Decides about the next record.
    ///
    /// - Parameters:
    ///   - time: the time since the load began.
    ///   - doesHarm: false towards the end of a run; otherwise the load would have to continue for a long
    ///     time until all poison is dead-lettered.
    ///   - hasGrown: whether the topic has new partitions.
    /// - Returns: the kind of the record and the number of its key; nil if the record belongs to the load.
    mutating func draw(
        at time: Duration,
        doesHarm: Bool,
        hasGrown: Bool,
        using random: inout some RandomNumberGenerator
    ) -> (kind: InputKind, key: Int)? {
        if doesHarm, time >= self.nextFlood {
            self.nextFlood = time + Self.floodEvery
            self.flood = Self.floodSize
            self.floods += 1
        }
        if self.flood > 0 { return self.nextOfFlood(using: &random) }
        switch Int.random(in: 0..<1_000, using: &random) {
        case 0..<2 where doesHarm: return (.poison, self.nextLoner())
        case 2 where doesHarm: return (.largeAnswer, self.nextLoner())
        case 3..<300: return (Self.good(using: &random), Int.random(in: Self.honest, using: &random))
        case 300..<320 where hasGrown:
            return (Self.good(using: &random), Int.random(in: Self.new, using: &random))
        case 340..<342 where doesHarm: return (.longAgo, self.nextLoner())
        case 342..<344 where doesHarm: return (.farAhead, self.nextLoner())
        case 320..<340: return (.lateAccount, Int.random(in: Self.late, using: &random))
        default: return nil
        }
    }

    private mutating func nextOfFlood(using random: inout some RandomNumberGenerator) -> (InputKind, Int) {
        defer { self.flood -= 1 }
        let mayBeLarge = self.floods <= Self.largeFloods
        switch self.flood {
        case Self.floodSize where mayBeLarge: return (.oversized, self.nextLoner())
        case Self.floodSize - 1 where mayBeLarge: return (.longKey, self.nextLoner())
        default:
            let kind = self.flood.isMultiple(of: 2) ? InputKind.notJSON : .empty
            return (kind, Int.random(in: Self.hostile, using: &random))
        }
    }

    private static func good(using random: inout some RandomNumberGenerator) -> InputKind {
        [.json, .protobuf, .framed, .event].randomElement(using: &random) ?? .json
    }

    /// The key of a record that has no other of its key beside it. A long key is another one than its number says, so no
    /// order holds between it and a record of the same number.
    private mutating func nextLoner() -> Int {
        self.loners += 1
        return Self.lone.lowerBound + self.loners % Self.loneKeys
    }

    /// Whether this key belongs to an honest user. The waiting time of such a record is checked.
    static func isHonest(key: Int) -> Bool { self.honest.contains(key) || self.isNewcomer(key: key) }

    /// Whether this key belongs to a user who publishes once the topic has new partitions.
    static func isNewcomer(key: Int) -> Bool { self.new.contains(key) }
}
