/// A SplitMix64 generator. All random decisions of a run follow from its seed and from the order in which
/// requests arrive.
struct Dice: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { self.state = seed }

    mutating func next() -> UInt64 {
        self.state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = self.state
        mixed = (mixed ^ (mixed &>> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed &>> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed &>> 31)
    }

    /// Returns true with this probability. A share of 0 consumes no random number.
    mutating func falls(_ share: Double) -> Bool {
        share > 0 && Double.random(in: 0..<1, using: &self) < share
    }

    /// Returns a random duration from the range. A range of one value consumes no random number.
    mutating func duration(in range: ClosedRange<Duration>) -> Duration {
        guard range.upperBound > range.lowerBound else { return range.lowerBound }
        return range.lowerBound + (range.upperBound - range.lowerBound)
            * Double.random(in: 0...1, using: &self)
    }
}
