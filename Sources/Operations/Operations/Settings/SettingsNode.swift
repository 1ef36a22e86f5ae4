/// One value of a settings file, and its position there.
struct SettingsNode: Sendable {
    struct Entry: Sendable {
        var name: String
        /// The position of the name, as line and column, both counted from 1.
        var line: Int
        var column: Int
        var value: SettingsNode
    }

    enum Content: Sendable {
        /// The name has no value, or the value `null`. Such a setting counts as absent.
        case nothing
        case scalar(String)
        case list([SettingsNode])
        case mapping([Entry])
    }

    var content: Content
    var line: Int
    var column: Int

    subscript(name: String) -> SettingsNode? {
        guard case .mapping(let entries) = self.content else { return nil }
        return entries.first { $0.name == name }?.value
    }

    subscript(index: Int) -> SettingsNode? {
        guard case .list(let nodes) = self.content, nodes.indices.contains(index) else { return nil }
        return nodes[index]
    }

    /// The kind of this value, in the words of a fault.
    var kind: String {
        switch self.content {
        case .nothing: "nothing"
        case .scalar: "a single value"
        case .list: "a list"
        case .mapping: "a group of settings"
        }
    }
}
