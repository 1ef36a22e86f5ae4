package import Configuration
import Foundation

/// Offers a settings file to swift-configuration, behind whatever overrides it:
/// `ConfigReader(providers: [EnvironmentVariablesProvider(), YAMLSettingsProvider(file)])`.
///
/// Values whose names say that they are secret are marked so, which keeps them out of access logs.
package struct YAMLSettingsProvider: ConfigProvider, ConfigSnapshot {
    /// A value that is there but cannot be read as the type asked for. It says where, and not what.
    package struct TypeMismatch: Error, Hashable, CustomStringConvertible {
        package let description: String
    }

    private let file: SettingsFile
    private let names: SensitiveNames

    package init(_ file: SettingsFile, names: SensitiveNames = SensitiveNames()) {
        self.file = file
        self.names = names
    }

    package var providerName: String { "YAMLSettingsProvider[\(self.file.path)]" }

    package func value(forKey key: AbsoluteConfigKey, type: ConfigType) throws -> LookupResult {
        let encodedKey = key.components.joined(separator: ".")
        guard let node = self.node(at: key) else { return LookupResult(encodedKey: encodedKey, value: nil) }
        if case .nothing = node.content { return LookupResult(encodedKey: encodedKey, value: nil) }
        guard let content = Self.content(of: node, as: type) else {
            throw TypeMismatch(
                description:
                    "\(self.file.path):\(node.line):\(node.column): \(encodedKey): must be \(type.rawValue)"
            )
        }
        let isSecret = key.components.contains { self.names.contains($0) }
        return LookupResult(encodedKey: encodedKey, value: ConfigValue(content, isSecret: isSecret))
    }

    package func fetchValue(forKey key: AbsoluteConfigKey, type: ConfigType) async throws -> LookupResult {
        try self.value(forKey: key, type: type)
    }

    package func watchValue<Return: ~Copyable>(
        forKey key: AbsoluteConfigKey,
        type: ConfigType,
        updatesHandler: (ConfigUpdatesAsyncSequence<Result<LookupResult, any Error>, Never>) async throws ->
            Return
    ) async throws -> Return {
        try await self.watchValueFromValue(forKey: key, type: type, updatesHandler: updatesHandler)
    }

    package func snapshot() -> any ConfigSnapshot { self }

    package func watchSnapshot<Return: ~Copyable>(
        updatesHandler: (ConfigUpdatesAsyncSequence<any ConfigSnapshot, Never>) async throws -> Return
    ) async throws -> Return {
        try await self.watchSnapshotFromSnapshot(updatesHandler: updatesHandler)
    }

    /// Entries of a list are addressed by their number: `gdt.apps.0.name`.
    private func node(at key: AbsoluteConfigKey) -> SettingsNode? {
        var node = self.file.root
        for component in key.components {
            guard let next = node[component] ?? Int(component).flatMap({ node[$0] }) else { return nil }
            node = next
        }
        return node
    }

    private static func content(of node: SettingsNode, as type: ConfigType) -> ConfigContent? {
        switch type {
        case .string: Self.text(node).map { .string($0) }
        case .int: Self.text(node).flatMap { Int($0) }.map { .int($0) }
        case .double: Self.text(node).flatMap { Double($0) }.map { .double($0) }
        case .bool: Self.text(node).flatMap { SettingText.bool($0) }.map { .bool($0) }
        case .bytes: Self.text(node).flatMap { Self.base64($0) }.map { .bytes($0) }
        case .stringArray: Self.list(node) { $0 }.map { .stringArray($0) }
        case .intArray: Self.list(node) { Int($0) }.map { .intArray($0) }
        case .doubleArray: Self.list(node) { Double($0) }.map { .doubleArray($0) }
        case .boolArray: Self.list(node) { SettingText.bool($0) }.map { .boolArray($0) }
        case .byteChunkArray: Self.list(node) { Self.base64($0) }.map { .byteChunkArray($0) }
        }
    }

    private static func text(_ node: SettingsNode) -> String? {
        guard case .scalar(let text) = node.content else { return nil }
        return text
    }

    private static func list<Element>(_ node: SettingsNode, _ element: (String) -> Element?) -> [Element]? {
        guard case .list(let nodes) = node.content else { return nil }
        let elements = nodes.compactMap { Self.text($0).flatMap(element) }
        return elements.count == nodes.count ? elements : nil
    }

    private static func base64(_ text: String) -> [UInt8]? {
        Data(base64Encoded: text).map { Array($0) }
    }
}
