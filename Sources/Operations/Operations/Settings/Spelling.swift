/// Finds the name that a person probably meant.
enum Spelling {
    /// Returns the candidate that is most similar to `word`, if they differ as little as after a typing
    /// error: in at most a third of the letters, where one always and never more than three may differ.
    static func nearest(to word: String, among candidates: some Sequence<String>) -> String? {
        guard word.utf8.count <= 64 else { return nil }
        let most = max(1, min(3, word.count / 3))
        return candidates.map { (distance: Self.distance(word, $0), candidate: $0) }
            .filter { $0.distance <= most }
            .min { ($0.distance, $0.candidate) < ($1.distance, $1.candidate) }?
            .candidate
    }

    /// Returns the number of insertions, deletions, replacements and swaps of neighbours that turn one word
    /// into the other.
    static func distance(_ one: String, _ other: String) -> Int {
        let (one, other) = (Array(one.lowercased()), Array(other.lowercased()))
        guard !one.isEmpty, !other.isEmpty else { return max(one.count, other.count) }
        var rows = [Array(0...other.count)]
        for i in 1...one.count {
            var row = [i]
            for j in 1...other.count {
                var best = min(row[j - 1] + 1, rows[i - 1][j] + 1)
                best = min(best, rows[i - 1][j - 1] + (one[i - 1] == other[j - 1] ? 0 : 1))
                if i > 1, j > 1, one[i - 1] == other[j - 2], one[i - 2] == other[j - 1] {
                    best = min(best, rows[i - 2][j - 2] + 1)
                }
                row.append(best)
            }
            rows.append(row)
        }
        return rows[one.count][other.count]
    }
}
