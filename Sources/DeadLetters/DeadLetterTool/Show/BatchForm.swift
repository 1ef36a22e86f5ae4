import DeadLetters

/// The replays of one command as JSON.
struct BatchForm: Encodable {
    var batch: String
    var by: String
    var because: String
    var at: String
    var targets: [String]
    var replayed: Int
    var outcomes: [String: Int]
    var open: Int

    init(_ view: BatchView) {
        self.batch = view.batch
        self.by = view.by
        self.because = view.because
        self.at = Words.time(view.at)
        self.targets = view.targets
        self.replayed = view.total
        self.outcomes = Dictionary(
            view.counts.filter { $0.key != .replayed }.map { ($0.key.word, $0.value) }
        ) { $1 }
        self.open = view.open
    }
}
