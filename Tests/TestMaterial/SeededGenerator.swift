/// SplitMix64: the same numbers from the same seed, on every machine.
package struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    package init(seed: UInt64) { self.state = seed }

    package mutating func next() -> UInt64 {
        self.state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = self.state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    package mutating func number(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &self) }

    package mutating func one<Element>(of elements: [Element]) -> Element {
        elements[.random(in: 0..<elements.count, using: &self)]
    }

    package mutating func chance(_ share: Double) -> Bool { .random(in: 0..<1, using: &self) < share }

    package mutating func bytes(upTo count: Int) -> [UInt8] {
        (0..<Int.random(in: 0...count, using: &self)).map { _ in .random(in: 0...255, using: &self) }
    }
}
