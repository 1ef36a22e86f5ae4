import DeadLetters

/// A letter as JSON, without personal data.
struct LetterForm: Encodable {
    var id: String
    var position: String
    var group: String
    var worker: String
    var `class`: String
    var reason: String
    /// The field that the reason is about; absent if it is about none.
    var field: String?
    var state: String
    var at: String
    var firstFailedAt: String?
    /// The mark of the record's key, or the key itself if the letter is revealed.
    var key: String?
    var record: String?
    var attempts: Int?
    var upstreamStatus: Int?
    var valueBytes: Int?
    var replays: Int
    var replayable: String?

    init(_ view: LetterView) {
        self.id = "\(view.id)"
        self.position = "\(view.position)"
        self.group = view.mark
        self.worker = view.group.worker
        self.class = view.group.kind
        self.reason = view.group.reason
        self.field = view.group.field.isEmpty ? nil : view.group.field
        self.state = view.state.word
        self.at = Words.time(view.at)
        self.firstFailedAt = view.first.map(Words.time)
        self.key = view.keyMark
        self.record = view.source?.description
        self.attempts = view.attempts
        self.upstreamStatus = view.status
        self.valueBytes = view.bytes
        self.replays = view.allReplays
        self.replayable = view.replayable
    }
}
