import Configuration

/// The path of a setting: `gdt.apps[0].sign_key`.
struct SettingsPath: Hashable, Sendable, CustomStringConvertible {
    enum Step: Hashable, Sendable {
        case name(String)
        case entry(Int)
    }

    var steps: [Step] = []

    /// Returns the path of a setting below this one. `key` contains names separated by dots.
    func appending(_ key: String) -> SettingsPath {
        SettingsPath(steps: self.steps + key.split(separator: ".").map { .name(String($0)) })
    }

    func appending(entry: Int) -> SettingsPath {
        SettingsPath(steps: self.steps + [.entry(entry)])
    }

    var parent: SettingsPath { SettingsPath(steps: self.steps.dropLast()) }

    var description: String { self.text { "[\($0)]" } }

    /// The path with all entries of a list written alike: `gdt.apps[].sign_key`.
    var pattern: String { self.text { _ in "[]" } }

    static let environmentPrefix = "flotilla"

    /// The key under which a provider of environment variables looks the setting up.
    var environmentKey: AbsoluteConfigKey {
        AbsoluteConfigKey(
            [Self.environmentPrefix]
                + self.steps.map {
                    switch $0 {
                    case .name(let name): name
                    case .entry(let index): String(index)
                    }
                }
        )
    }

    private func text(ofEntry: (Int) -> String) -> String {
        var text = ""
        for step in self.steps {
            switch step {
            case .name(let name): text += (text.isEmpty ? "" : ".") + name
            case .entry(let index): text += ofEntry(index)
            }
        }
        return text
    }
}

extension SettingsPath.Step {
    var isEntry: Bool {
        if case .entry = self { true } else { false }
    }
}
