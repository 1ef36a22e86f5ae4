/// The numbers of letters by the value of one property.
package struct TraitCounts: Hashable, Sendable {
    /// The letters with one value.
    package struct Count: Hashable, Sendable {
        /// The value, as it may be shown: on one line, with a mark in place of everything personal or secret.
        package var value: String
        /// The number of letters.
        package var letters = 0
        /// The number of those that are open.
        package var open = 0
    }

    /// The word for letters without a key, header or field.
    static let nothing = "(nothing)"
    /// The most values that are told apart. A publisher may send another value with each record.
    package static let valuesLimit = 10_000

    /// The counts of the values, the most open letters first; hours are in their own order, the latest first.
    package var counts: [Count] = []
    /// The number of letters with further values, beyond `valuesLimit`.
    package var others = 0
    /// The number of letters that could not be counted, because the broker has deleted them.
    package var gone = 0

    init() {}

    init(_ tally: Tally, gone: Int) {
        self.counts = tally.counts
        self.others = tally.others
        self.gone = gone
        self.counts.sort { ($1.open, $1.letters, $0.value) < ($0.open, $0.letters, $1.value) }
    }

    /// The number of all letters that were counted.
    package var letters: Int { self.counts.reduce(self.others) { $0 + $1.letters } }

    /// Counts values as they are met.
    struct Tally {
        private var places: [String: Int] = [:]
        private(set) var counts: [Count] = []
        private(set) var others = 0

        mutating func add(_ value: String, isOpen: Bool) {
            guard let place = self.place(of: value) else {
                self.others += 1
                return
            }
            self.counts[place].letters += 1
            self.counts[place].open += isOpen ? 1 : 0
        }

        private mutating func place(of value: String) -> Int? {
            if let place = self.places[value] { return place }
            guard self.counts.count < TraitCounts.valuesLimit else { return nil }
            self.counts.append(Count(value: value))
            self.places[value] = self.counts.count - 1
            return self.counts.count - 1
        }
    }
}
