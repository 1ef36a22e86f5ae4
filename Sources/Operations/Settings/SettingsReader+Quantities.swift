extension SettingsReader {
    /// A span of time: `250ms`, `20s`, `5m`, `12h`, `7d`. Required without a default.
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

    /// A number of bytes: `64MiB`, `1MB`, `4096`. Required without a default.
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
}
