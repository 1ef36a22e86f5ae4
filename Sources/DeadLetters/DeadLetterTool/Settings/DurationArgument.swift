import ArgumentParser
import Operations

/// A period on the command line, such as `24h`; not negative.
struct DurationArgument: ExpressibleByArgument, CustomStringConvertible {
    let duration: Duration

    init(_ duration: Duration) { self.duration = duration }

    init?(argument: String) {
        guard let duration = SettingText.duration(argument), duration >= .zero else { return nil }
        self.duration = duration
    }

    var milliseconds: Int64 { Int64(self.duration / .milliseconds(1)) }

    var description: String { SettingText.text(of: self.duration) }

    var defaultValueDescription: String { self.description }
}
