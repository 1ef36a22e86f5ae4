/// How soon a worker's results are of no use any more. It decides the defaults of some settings.
package enum Haste: Hashable, Sendable {
    /// The result is as good tomorrow.
    case ordinary
    /// The content of a record is good for seconds, and somebody waits for the result.
    case urgent

    /// How long a result waits for others that can be sent to the broker with it.
    package var linger: Duration {
        switch self {
        case .ordinary: .milliseconds(5)
        case .urgent: .zero
        }
    }
}
