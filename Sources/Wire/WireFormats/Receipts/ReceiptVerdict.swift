/// The final verdict on a receipt; the raw value is the word in the result.
package enum ReceiptVerdict: String, Hashable, Sendable, CaseIterable {
    /// The purchase stands, or the receipt is a genuine one of an app that has bought nothing.
    case valid
    /// The purchase's time is over, or a better subscription took its place.
    case expired
    /// Apple took the purchase back.
    case refunded
    /// The receipt is missing or forged, or does not prove what the client claims.
    case invalid
    /// The receipt is a genuine one of an app that is not ours, or not the claimed one.
    case notOurs = "not_ours"
    /// The purchase is unknown, or could not be verified; ask again later.
    case unavailable
}
