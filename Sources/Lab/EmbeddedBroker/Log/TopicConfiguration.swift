/// The settings of a topic, under Kafka's names.
///
/// The broker acts on `max.message.bytes`, `message.timestamp.type`, `min.insync.replicas` and
/// `retention.bytes`. All other settings are only stored and reported.
package struct TopicConfiguration: Sendable {
    /// The known settings, with the values that apply where a topic overrides nothing.
    static let defaults: KeyValuePairs = [
        "cleanup.policy": "delete", "compression.type": "producer", "delete.retention.ms": "86400000",
        "max.message.bytes": "1048588", "message.timestamp.type": "CreateTime", "min.insync.replicas": "1",
        "retention.bytes": "-1", "retention.ms": "604800000", "segment.bytes": "1073741824",
        "segment.ms": "604800000",
    ]

    private(set) var overrides: [String: String] = [:]

    /// Creates a configuration without overrides.
    package init() {}

    /// Creates a configuration with these overrides.
    ///
    /// - Throws: `InvalidSetting` for a name or a value that Kafka would refuse or that this broker cannot
    ///   follow.
    package init(_ settings: [String: String]) throws {
        for (name, value) in settings {
            guard Self.isValid(value, for: name) else { throw InvalidSetting(name: name) }
            self.overrides[name] = value
        }
    }

    /// A setting has an unknown name or an invalid value; `name` is the setting's name.
    package struct InvalidSetting: Error { package var name: String }

    func value(of name: String) -> String? {
        self.overrides[name] ?? Self.defaults.first { $0.key == name }?.value
    }

    func number(_ name: String) -> Int? { self.value(of: name).flatMap { Int($0) } }

    private static func isValid(_ value: String, for name: String) -> Bool {
        switch name {
        case "cleanup.policy": value.split(separator: ",").allSatisfy { ["compact", "delete"].contains($0) }
        case "compression.type":
            ["producer", "uncompressed", "gzip", "snappy", "lz4", "zstd"].contains(value)
        case "message.timestamp.type": ["CreateTime", "LogAppendTime"].contains(value)
        case "min.insync.replicas": Int(value).map { $0 >= 1 } ?? false
        case "max.message.bytes": Int(value).map { 0...Int(Int32.max) ~= $0 } ?? false
        case "retention.bytes", "retention.ms": Int(value).map { $0 >= -1 } ?? false
        case "delete.retention.ms", "segment.bytes", "segment.ms": Int(value).map { $0 >= 0 } ?? false
        default: false
        }
    }
}
