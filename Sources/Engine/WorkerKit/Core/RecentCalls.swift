/// The calls and failures of the last ten seconds, the current one included, counted by the second.
struct RecentCalls: Sendable {
    private static let span: Int64 = 10
    private var seconds = [(second: Int64, calls: Int, failures: Int)](
        repeating: (second: .min, calls: 0, failures: 0),
        count: Int(span)
    )

    mutating func note(failed: Bool, at now: Int64) {
        let second = now / 1_000_000_000
        let index = Int(second % Self.span)
        if self.seconds[index].second != second { self.seconds[index] = (second, 0, 0) }
        self.seconds[index].calls += 1
        if failed { self.seconds[index].failures += 1 }
    }

    func counts(at now: Int64) -> (calls: Int, failures: Int) {
        let oldest = now / 1_000_000_000 - Self.span
        return self.seconds.reduce(into: (0, 0)) { sum, entry in
            guard entry.second > oldest else { return }
            sum.0 += entry.calls
            sum.1 += entry.failures
        }
    }
}
