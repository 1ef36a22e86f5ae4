/// One value of a settings file with its place in it.
struct SettingsNode: Sendable {
    struct Entry: Sendable {
        var name: String
        /// Where the name stands.
        var line: Int
        var column: Int
        var value: SettingsNode
    }

    enum Content: Sendable {
        /// Nothing after the colon, or `null`: the same as not being there.
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

    /// What stands here, in words for a fault.
    var kind: String {
        switch self.content {
        case .nothing: "nothing"
        case .scalar: "a single value"
        case .list: "a list"
        case .mapping: "a group of settings"
        }
    }
}
