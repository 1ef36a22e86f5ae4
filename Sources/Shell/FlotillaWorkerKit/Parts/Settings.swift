package import Operations

/// The settings of a shell, read from the settings file and the environment by swift-configuration.
///
/// Every setting is documented by its request: the command `check-config --list` shows all of them. A fault is
/// collected and shown with its line; the value that is returned then is never used.
public struct Settings {
    package let reader: SettingsReader

    package init(_ reader: SettingsReader) { self.reader = reader }

    /// The settings below a name.
    public func section(_ key: String) -> Settings { Settings(self.reader.section(key)) }

    /// Reads a text. The setting is required if it has no default.
    public func string(_ key: String, default fallback: String? = nil, help: String) -> String {
        self.reader.string(key, default: fallback, help: help)
    }

    /// Reads a whole number. The setting is required if it has no default.
    public func int(
        _ key: String,
        default fallback: Int? = nil,
        in range: ClosedRange<Int> = Int.min...Int.max,
        help: String
    ) -> Int {
        self.reader.int(key, default: fallback, in: range, help: help)
    }

    /// Reads `true` or `false`. The setting is required if it has no default.
    public func bool(_ key: String, default fallback: Bool? = nil, help: String) -> Bool {
        self.reader.bool(key, default: fallback, help: help)
    }

    /// Reads a duration, such as `250ms`, `20s` or `5m`. The setting is required if it has no default.
    public func duration(
        _ key: String,
        default fallback: Duration? = nil,
        in range: ClosedRange<Duration>? = nil,
        help: String
    ) -> Duration {
        self.reader.duration(key, default: fallback, in: range, help: help)
    }

    /// Reads an absolute `https` or `http` URL. The setting is required if it has no default.
    public func url(_ key: String, default fallback: String? = nil, help: String) -> String {
        self.reader.url(key, default: fallback, help: help)
    }

    /// Reads a required secret: the setting itself, or the file that the setting with `_file` after its name
    /// names.
    public func secret(_ key: String, help: String) -> SecretText {
        SecretText(secret: self.reader.secret(key, help: help))
    }

    /// Records a fault that only the caller can find, such as two settings that exclude each other.
    ///
    /// - Parameter problem: The end of a sentence that begins with the setting's name. It quotes no secret.
    public func reportFault(_ key: String, _ problem: String) { self.reader.reportFault(key, problem) }
}

/// A text that must not be logged. Every way of printing it gives `<secret>`.
public struct SecretText: Hashable, Sendable, CustomStringConvertible {
    package let secret: Secret

    /// Returns the text. Pass it on at once; do not store or print it.
    public func reveal() -> String { self.secret.reveal() }

    public var description: String { self.secret.description }
}
