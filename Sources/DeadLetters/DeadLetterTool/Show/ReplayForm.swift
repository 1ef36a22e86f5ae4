import DeadLetters

/// One replay of a letter as JSON.
struct ReplayForm: Encodable {
    var replay: String
    var batch: String
    var letter: String
    var by: String
    var because: String
    var at: String
    var target: String
    var edited: String?
    var state: String
    var reason: String?
    var settledAt: String?

    init(_ view: ReplayView) {
        self.replay = view.id
        self.batch = view.batch
        self.letter = "\(view.letter)"
        self.by = view.by
        self.because = view.because
        self.at = Words.time(view.at)
        self.target = view.target
        self.edited = view.edited
        self.state = view.state.word
        self.reason = view.reason
        self.settledAt = view.settled.map(Words.time)
    }
}
