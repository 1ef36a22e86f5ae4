import WireFormats

/// How a record ends, and what its outcome says beside that.
struct Settlement: Sendable {
    var fate: Outcome.Fate
    var reason: Reason?
    var deadLetterID: String?
    /// What the handler encodes into the outcome.
    var answer: (any Sendable)?
    /// Bytes of the key and of the answer, where the outcome goes without them.
    var omittedKeyBytes: Int?
    var omittedAnswerBytes: Int?
}
