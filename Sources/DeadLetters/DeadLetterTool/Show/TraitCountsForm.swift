import DeadLetters

/// The numbers of letters by a property, as JSON.
struct TraitCountsForm: Encodable {
    struct Count: Encodable {
        var value: String
        var letters: Int
        var open: Int
    }

    var by: String
    var values: [Count]
    /// The number of all values that were told apart, also beyond `--limit`.
    var total: Int
    /// The number of letters that were counted.
    var letters: Int
    /// The number of letters whose values were too many to be told apart.
    var others: Int
    /// The number of letters whose record is gone from its topic.
    var gone: Int

    init(_ found: TraitCounts, by property: String, shown: [TraitCounts.Count]) {
        self.by = property
        self.values = shown.map { Count(value: $0.value, letters: $0.letters, open: $0.open) }
        self.total = found.counts.count
        self.letters = found.letters
        self.others = found.others
        self.gone = found.gone
    }
}
