import WorkerKit

/// How often a message's statistics are told, which depends on how old the message is: a new one changes every second,
/// an old one hardly.
package struct EmissionPace: Hashable, Sendable {
    /// Between two snapshots of a message in its first hour.
    package var first: Duration

    package init(first: Duration = .seconds(10)) { self.first = first }

    /// Milliseconds between two snapshots of a message that workers began to count so long ago: ten seconds for an hour,
    /// five minutes for a day, an hour from then on, if `first` is ten seconds.
    package func interval(age: Int64) -> Int64 {
        let first = self.first.wholeMilliseconds
        return switch age {
        case ..<3_600_000: first
        case ..<86_400_000: first * 30
        default: first * 360
        }
    }

    /// The pace of the parts that the statistics are added up from: five times as fast, so that what is told is never
    /// much older than it looks.
    package var ofParts: EmissionPace { EmissionPace(first: self.first / 5) }
}
