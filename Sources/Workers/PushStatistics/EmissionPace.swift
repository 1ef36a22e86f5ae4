import ServiceKit
import WireFormats

/// The interval at which the statistics of a message are published. It depends on the age of the message: a
/// new message changes every second, an old one hardly at all.
package struct EmissionPace: Hashable, Sendable {
    /// The interval in the first hour of a message.
    package var first: Duration

    /// Creates a pace from the interval in the first hour.
    package init(first: Duration = .seconds(10)) { self.first = first }

    /// Returns the milliseconds between two publications for a message of this age.
    ///
    /// If `first` is ten seconds, the interval is ten seconds in the first hour, five minutes until the end
    /// of the first day, and an hour after that.
    ///
    /// - Parameter age: the time since workers began to count the message, in milliseconds.
    package func interval(age: Int64) -> Int64 {
        let first = self.first.wholeMilliseconds
        return switch age {
        case ..<3_600_000: first
        case ..<86_400_000: first * 30
        default: first * 360
        }
    }

    /// Returns the milliseconds between two publications of a message or a segment of this age. A segment is
    /// published at least once an hour, so that its day can be judged a few hours after its end.
    func interval(age: Int64, of key: CohortKey) -> Int64 {
        let interval = self.interval(age: age)
        return key.segment.isEmpty ? interval : min(interval, 3_600_000)
    }

    /// The pace of the parts from which the statistics are added up. It is five times as fast, so that
    /// published statistics are hardly older than their time says.
    package var ofParts: EmissionPace { EmissionPace(first: self.first / 5) }
}
