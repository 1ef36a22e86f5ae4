import WireFormats

/// The end of a record, and the further content of its outcome.
struct Settlement: Sendable {
    var fate: Outcome.Fate
    var reason: Reason?
    var deadLetterID: String?
    /// The upstream's decision, which the handler encodes into the outcome; nil if there is none or it was
    /// left out.
    var answer: (any Sendable)?
    /// The bytes of the key; nil unless the outcome goes without it.
    var omittedKeyBytes: Int?
    /// The bytes of the value with the answer; nil unless the outcome goes without the answer.
    var omittedAnswerBytes: Int?
}
