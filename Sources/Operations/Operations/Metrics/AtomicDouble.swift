import Synchronization

/// A `Double` to which many threads may add. Its bits are in an atomic word, and an addition is repeated
/// until no other thread has changed the word in between.
struct AtomicDouble: ~Copyable, Sendable {
    private let bits = Atomic<UInt64>(0)

    var value: Double {
        Double(bitPattern: self.bits.load(ordering: .relaxed))
    }

    func set(_ value: Double) {
        self.bits.store(value.bitPattern, ordering: .relaxed)
    }

    func add(_ amount: Double) {
        var seen = self.bits.load(ordering: .relaxed)
        while true {
            let sum = (Double(bitPattern: seen) + amount).bitPattern
            let outcome = self.bits.weakCompareExchange(expected: seen, desired: sum, ordering: .relaxed)
            if outcome.exchanged { return }
            seen = outcome.original
        }
    }
}
