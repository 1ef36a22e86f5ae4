/// The vocabulary of dead letters, as the `dlq.` headers spell it.
package enum DeadLetter {
    /// Why a record is dead, in one word.
    package enum Class: String, Hashable, Sendable, CaseIterable {
        /// The bytes are not what their content type says.
        case undecodable
        /// The bytes decode to something that the schema or our rules refuse.
        case invalid
        /// The upstream refused it in a way that points at us.
        case rejected
        /// Its attempts ran out while the upstream was answering others.
        case exhausted
        /// Its deadline passed.
        case expired
        /// It does not fit where it has to go.
        case tooLarge = "too_large"
    }

    /// Whether publishing the record again can help.
    package enum Replayable: String, Hashable, Sendable, CaseIterable {
        case yes
        case afterFix = "after_fix"
        case no
    }
}
