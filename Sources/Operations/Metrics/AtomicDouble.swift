import Synchronization

/// A `Double` that many threads may add to: its bits in an atomic word, exchanged until nobody was in between.
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
