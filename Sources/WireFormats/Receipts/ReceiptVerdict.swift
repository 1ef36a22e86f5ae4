/// What is said of a receipt in the end.
package enum ReceiptVerdict: String, Hashable, Sendable, CaseIterable {
    case valid
    case expired
    case refunded
    case invalid
    case notOurs = "not_ours"
    case unavailable
}
