import WireFormats

/// The end of a record, and the further content of its outcome.
struct Settlement: Sendable {
    /// The rejection that makes a record a dead letter.
    struct Death: Sendable {
        var rejection: Rejection
        /// The wall-clock time of the rejection, in milliseconds since 1970.
        var at: Int64
        /// The id of the dead letter.
        var letter: String
    }

    var fate: Outcome.Fate
    var reason: Reason?
    /// Nil unless the record becomes a dead letter.
    var death: Death?
    /// The upstream's decision, which the handler encodes into the outcome; nil if there is none or it was
    /// left out.
    var answer: (any Sendable)?
    /// The members of the record that its schema does not have; nil if there are none.
    var unknownFields: UnknownFields?
    /// The bytes of the key; nil unless the outcome goes without it.
    var omittedKeyBytes: Int?
    /// The bytes of the value with the answer; nil unless the outcome goes without the answer.
    var omittedAnswerBytes: Int?
}
