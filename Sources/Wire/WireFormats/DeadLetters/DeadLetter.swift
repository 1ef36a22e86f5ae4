/// The vocabulary of dead letters, as the values of the `dlq.` headers spell it.
package enum DeadLetter {
    /// The value of the header `dlq.class`: why the record became a dead letter, in one word.
    package enum Class: String, Hashable, Sendable, CaseIterable {
        /// The value's bytes are not in the format that its content type, its framing or its schema names.
        case undecodable
        /// The value can be decoded, but the schema or a rule of ours refuses what it says.
        case invalid
        /// The upstream refused the record in a way that points at our record, worker or configuration.
        case rejected
        /// The record's attempts ran out while the upstream was answering other records.
        case exhausted
        /// The record's deadline passed.
        case expired
        /// The record is larger than the place that it has to go to allows.
        case tooLarge = "too_large"
    }

    /// The value of the header `dlq.replayable`: whether publishing the record again can help.
    package enum Replayable: String, Hashable, Sendable, CaseIterable {
        /// A replay of the record as it is can help.
        case yes
        /// A replay can help once the cause is corrected.
        case afterFix = "after_fix"
        /// A replay of the record as it is cannot help.
        case no
    }
}
