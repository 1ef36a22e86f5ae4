extension SettingsReader {
    /// Reads a duration: `250ms`, `20s`, `5m`, `12h`, `7d`. The setting is required if it has no default.
    package func duration(
        _ key: String,
        default fallback: Duration? = nil,
        in range: ClosedRange<Duration>? = nil,
        help: String
    ) -> Duration {
        let duration = self.value(
            key,
            type: "a duration",
            defaultText: fallback.map { SettingText.text(of: $0) },
            isRequired: fallback == nil,
            help: help
        ) { text throws(SettingRejection) in
            guard let duration = SettingText.duration(text) else {
                throw SettingRejection("must be a duration such as 250ms, 20s, 5m, 12h or 7d")
            }
            if let range, !range.contains(duration) {
                let limits = (SettingText.text(of: range.lowerBound), SettingText.text(of: range.upperBound))
                throw SettingRejection("must be a duration from \(limits.0) to \(limits.1)")
            }
            return duration
        }
        return duration ?? fallback ?? range?.lowerBound ?? .zero
    }

    /// Reads a number of bytes: `64MiB`, `1MB`, `4096`. The setting is required if it has no default.
    package func bytes(
        _ key: String,
        default fallback: Int? = nil,
        in range: ClosedRange<Int> = 0...Int.max,
        help: String
    ) -> Int {
        let bytes = self.value(
            key,
            type: "a size in bytes",
            defaultText: fallback.map { SettingText.text(ofBytes: $0) },
            isRequired: fallback == nil,
            help: help
        ) { text throws(SettingRejection) in
            guard let bytes = SettingText.bytes(text) else {
                throw SettingRejection("must be a size such as 4096, 1MB or 64MiB")
            }
            guard range.contains(bytes) else {
                let least = SettingText.text(ofBytes: range.lowerBound)
                guard range.upperBound < Int.max else {
                    throw SettingRejection("must be a size of at least \(least)")
                }
                let most = SettingText.text(ofBytes: range.upperBound)
                throw SettingRejection("must be a size from \(least) to \(most)")
            }
            return bytes
        }
        return bytes ?? fallback ?? range.lowerBound
    }

    /// Reads a list of increasing durations, separated by commas or spaces. Each comes with its own text.
    /// Without the setting the list is empty.
    package func durations(_ key: String, in range: ClosedRange<Duration>, help: String)
        -> [(text: String, duration: Duration)]
    {
        let durations = self.value(
            key,
            type: "durations",
            defaultText: "none",
            isRequired: false,
            help: help
        ) { text throws(SettingRejection) in
            try Self.durations(text, in: range)
        }
        return durations ?? []
    }

    private static func durations(_ text: String, in range: ClosedRange<Duration>) throws(SettingRejection)
        -> [(text: String, duration: Duration)]
    {
        var durations: [(text: String, duration: Duration)] = []
        for word in text.split(whereSeparator: { $0 == "," || $0 == " " }) {
            guard let duration = SettingText.duration(String(word)), range.contains(duration) else {
                let limits = (SettingText.text(of: range.lowerBound), SettingText.text(of: range.upperBound))
                throw SettingRejection(
                    "must be durations from \(limits.0) to \(limits.1), such as 1m, 10m, 1h"
                )
            }
            if let last = durations.last, last.duration >= duration {
                throw SettingRejection("must be durations that rise, such as 1m, 10m, 1h")
            }
            durations.append((String(word), duration))
        }
        return durations
    }
}
