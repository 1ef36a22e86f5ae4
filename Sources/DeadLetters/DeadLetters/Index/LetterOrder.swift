/// The order of letters.
package enum LetterOrder: Hashable, Sendable {
    case oldest
    case newest
    /// Open letters come first, and the newest first among these and among the others.
    case openAndNewest

    /// The order in SQL, on the table `letters`.
    var sql: String {
        switch self {
        case .oldest: "at, place"
        case .newest: "at DESC, place DESC"
        case .openAndNewest: "state != \(LetterState.open.rawValue), at DESC, place DESC"
        }
    }
}
