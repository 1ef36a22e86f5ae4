/// The memory of the handler between records. A new engine begins without one.
package struct ReceiptMemory: Sendable {
    /// The answers that may show a wrong shared secret.
    var doubts: SecretDoubts
    /// The names of the lanes on which Apple has understood a request; at most as many as there are lanes.
    /// There our requests have the right form, so if Apple calls one bad, the reason is a value that a client
    /// has chosen.
    var servedLanes: Set<String> = []
}
