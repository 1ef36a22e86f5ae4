import Yams

/// Converts the nodes of the YAML library to `SettingsNode`, and stops with a fault where a file is larger
/// than any settings could be.
///
/// Each alias is replaced by a copy of what it stands for. The limit on the number of nodes keeps a small
/// file with aliases from becoming a very large tree.
struct SettingsConversion {
    private let path: String
    private var nodesLeft = SettingsFile.mostNodes
    private(set) var faults: [SettingsFault] = []

    init(path: String) {
        self.path = path
    }

    mutating func convert(_ node: Node, depth: Int = 0) -> SettingsNode {
        let (line, column) = (node.mark?.line ?? 1, node.mark?.column ?? 1)
        let nothing = SettingsNode(content: .nothing, line: line, column: column)
        guard self.nodesLeft > 0 else { return nothing }
        self.nodesLeft -= 1
        guard self.nodesLeft > 0, depth < SettingsFile.deepestNesting else {
            self.nodesLeft = 0
            self.report(
                node,
                "more than \(SettingsFile.mostNodes) values, or nested deeper than \(SettingsFile.deepestNesting)"
            )
            return nothing
        }
        switch node {
        case .scalar(let scalar):
            let isNothing =
                scalar.style == .plain && ["", "~", "null", "Null", "NULL"].contains(scalar.string)
            return SettingsNode(
                content: isNothing ? .nothing : .scalar(scalar.string),
                line: line,
                column: column
            )
        case .sequence(let sequence):
            let nodes = sequence.map { self.convert($0, depth: depth + 1) }
            return SettingsNode(content: .list(nodes), line: line, column: column)
        case .mapping(let mapping):
            let entries = mapping.compactMap { self.entry($0.key, $0.value, depth: depth) }
            return SettingsNode(content: .mapping(entries), line: line, column: column)
        case .alias:
            self.report(node, "an alias to nothing")
            return nothing
        }
    }

    private mutating func entry(_ key: Node, _ value: Node, depth: Int) -> SettingsNode.Entry? {
        guard case .scalar(let name) = key else {
            self.report(key, "the name of a setting must be text")
            return nil
        }
        guard name.string != "<<" else {
            self.report(key, "merging with << is not supported: write the settings out")
            return nil
        }
        return SettingsNode.Entry(
            name: name.string,
            line: key.mark?.line ?? 1,
            column: key.mark?.column ?? 1,
            value: self.convert(value, depth: depth + 1)
        )
    }

    private mutating func report(_ node: Node, _ problem: String) {
        let location = SettingsFault.Location.file(
            path: self.path,
            line: node.mark?.line ?? 1,
            column: node.mark?.column ?? 1
        )
        self.faults.append(SettingsFault(location: location, key: nil, problem: problem))
    }
}
