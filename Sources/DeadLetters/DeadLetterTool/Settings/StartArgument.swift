import ArgumentParser
import WireFormats

/// The time on the command line before which a replay does not begin: `03:00`, the next time that it is so late in
/// UTC, or a moment such as `2026-11-26T03:00:00Z`.
struct StartArgument: ExpressibleByArgument {
    private enum Start {
        case minuteOfDay(Int64)
        /// In milliseconds since 1970.
        case moment(Int64)
    }

    private static let day: Int64 = 86_400_000
    private let start: Start

    init?(argument: String) {
        if let moment = RFC3339.milliseconds(argument) {
            self.start = .moment(moment)
            return
        }
        let parts = argument.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.utf8.count == 2 && $0.utf8.allSatisfy(\.isDigit) }),
            let hour = Int64(parts[0]), let minute = Int64(parts[1]), hour < 24, minute < 60
        else { return nil }
        self.start = .minuteOfDay(hour * 60 + minute)
    }

    /// Returns the time of the beginning in milliseconds since 1970; it has passed already for a moment before now.
    func milliseconds(after now: Int64) -> Int64 {
        switch self.start {
        case .moment(let moment): return moment
        case .minuteOfDay(let minute):
            let today = now - (now % Self.day + Self.day) % Self.day + minute * 60_000
            return today < now ? today + Self.day : today
        }
    }
}
