/// A SplitMix64 generator. All random decisions of a run follow from its seed and from the order of the
/// draws.
package struct Dice: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Starts the sequence that belongs to this seed.
    package init(seed: UInt64) {
        self.state = seed
    }

    /// Returns the next 64 random bits.
    package mutating func next() -> UInt64 {
        self.state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = self.state
        mixed = (mixed ^ (mixed &>> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed &>> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed &>> 31)
    }

    /// Returns a random number from 0 up to, but not including, 1.
    mutating func roll() -> Double {
        Double.random(in: 0..<1, using: &self)
    }
}
