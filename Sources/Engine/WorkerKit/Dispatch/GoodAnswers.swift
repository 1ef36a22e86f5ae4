/// The last good answer of every lane.
///
/// As long as the answers are all of one lane, no name is hashed.
struct GoodAnswers: Sendable {
    /// The number of names that are remembered. Beyond it, the half that was answered longest ago is
    /// forgotten.
    private static let limit = 10_000

    private var current: (name: String, answer: LaneHealth.GoodAnswer)?
    private var others: [String: LaneHealth.GoodAnswer] = [:]

    mutating func note(_ answer: LaneHealth.GoodAnswer, of name: String) {
        if self.current?.name == name {
            self.current?.answer.follow(with: answer)
            return
        }
        if let current { self.others[current.name] = current.answer }
        var latest = self.others[name] ?? answer
        latest.follow(with: answer)
        self.current = (name, latest)
        if self.others.count > Self.limit { self.forgetOldest() }
    }

    func last(of name: String) -> LaneHealth.GoodAnswer? {
        if let current, current.name == name { return current.answer }
        return self.others[name]
    }

    private mutating func forgetOldest() {
        let times = self.others.values.map(\.at).sorted()
        let middle = times[times.count / 2]
        self.others = self.others.filter { $0.value.at > middle }
    }
}
