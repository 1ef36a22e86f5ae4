import Yams

/// A YAML file of settings, read whole and checked for its form. `SettingsReader` checks the values.
///
/// The description of this type is only the file's path, because the content may be secret.
package struct SettingsFile: Sendable, CustomStringConvertible, CustomReflectable {
    /// The largest file that is read, in bytes.
    package static let largestSize = 1_048_576
    /// The largest number of values in a file, aliases written out.
    static let mostNodes = 10_000
    /// The largest number of groups and lists that may contain one another.
    static let deepestNesting = 64
    /// The largest number of aliases in a file.
    static let mostAliases = 16

    /// The path as it was given.
    package let path: String
    let root: SettingsNode
    let isReadableByEverybody: Bool

    /// Reads a file.
    ///
    /// - Throws: one fault if the file cannot be read, or is not YAML; all faults of its form otherwise.
    package init(path: String) throws(SettingsFaults) {
        let file: SmallFile
        do {
            file = try SmallFile(path: path, limit: Self.largestSize)
        } catch {
            throw Self.fault(path, "cannot be read: \(error.reason)")
        }
        guard let text = String(validating: file.bytes, as: UTF8.self) else {
            throw Self.fault(path, "is not valid UTF-8")
        }
        try self.init(text: text, path: path, isReadableByEverybody: file.status.isReadableByEverybody)
    }

    /// Reads settings from a text.
    ///
    /// - Parameter path: the path that faults show.
    package init(text: String, path: String) throws(SettingsFaults) {
        try self.init(text: text, path: path, isReadableByEverybody: false)
    }

    private init(text: String, path: String, isReadableByEverybody: Bool) throws(SettingsFaults) {
        guard text.utf8.count <= Self.largestSize else { throw Self.fault(path, "is larger than 1 MiB") }
        // Yams hashes whole subtrees to find duplicate keys, so aliases of aliases must be few before it
        // begins.
        guard Self.aliases(in: text) <= Self.mostAliases else {
            throw Self.fault(path, "has more than \(Self.mostAliases) YAML aliases")
        }
        self.path = path
        self.isReadableByEverybody = isReadableByEverybody
        let composed: Node?
        do {
            composed = try Yams.compose(yaml: text)
        } catch let error as YamlError {
            throw SettingsFaults([Self.fault(for: error, path: path)])
        } catch {
            throw Self.fault(path, "is not valid YAML")
        }
        guard let composed else {
            self.root = SettingsNode(content: .mapping([]), line: 1, column: 1)
            return
        }
        var conversion = SettingsConversion(path: path)
        let root = conversion.convert(composed)
        guard conversion.faults.isEmpty else { throw SettingsFaults(conversion.faults) }
        switch root.content {
        case .mapping: self.root = root
        case .nothing: self.root = SettingsNode(content: .mapping([]), line: 1, column: 1)
        case .scalar, .list:
            throw Self.fault(path, "must hold settings as `name: value`, not \(root.kind)")
        }
    }

    package var description: String { "SettingsFile(\(self.path))" }
    package var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }

    /// Returns the value at `path`. If there is none, `found` is nil, and `deepest` is the last node on the
    /// way, `depth` steps below the root.
    func find(_ path: SettingsPath) -> (found: SettingsNode?, deepest: SettingsNode, depth: Int) {
        var node = self.root
        for (depth, step) in path.steps.enumerated() {
            let next =
                switch step {
                case .name(let name): node[name]
                case .entry(let index): node[index]
                }
            guard let next else { return (nil, node, depth) }
            node = next
        }
        return (node, node, path.steps.count)
    }

    private static func fault(_ path: String, _ problem: String) -> SettingsFaults {
        SettingsFaults([SettingsFault(location: .wholeFile(path: path), key: nil, problem: problem)])
    }

    private static func fault(for error: YamlError, path: String) -> SettingsFault {
        var location = SettingsFault.Location.wholeFile(path: path)
        let problem: String
        switch error {
        case .scanner(_, let text, let mark, _), .parser(_, let text, let mark, _),
            .composer(_, let text, let mark, _):
            location = .file(path: path, line: mark.line, column: mark.column)
            // Yams's sentences have two halves. This is the second: "but found another document".
            let text = text.hasPrefix("but ") ? String(text.dropFirst(4)) : text
            problem = "is not valid YAML: \(text)"
        case .duplicatedKeysInMapping(let duplicates, let context):
            location = .file(path: path, line: context.mark.line, column: context.mark.column)
            problem = "duplicate setting: \(duplicates.joined(separator: ", "))"
        case .reader(let text, _, _, _):
            problem = "is not valid YAML: \(text)"
        default:
            problem = "is not valid YAML"
        }
        return SettingsFault(location: location, key: nil, problem: problem)
    }

    /// Returns how many aliases the text can contain at most; 0 if nothing in it can be an anchor. The count
    /// may be too high, never too low.
    private static func aliases(in text: String) -> Int {
        var counts = (anchors: 0, aliases: 0)
        var beforeToken = true
        var pending: UInt8?
        for byte in text.utf8 {
            let isWord = byte > 0x20 && !"[]{},*&".utf8.contains(byte)
            if let mark = pending, isWord {
                if mark == UInt8(ascii: "*") { counts.aliases += 1 } else { counts.anchors += 1 }
            }
            let isMark = byte == UInt8(ascii: "*") || byte == UInt8(ascii: "&")
            pending = isMark && beforeToken ? byte : nil
            beforeToken = byte <= 0x20 || "[]{},:?-".utf8.contains(byte)
        }
        return counts.anchors == 0 ? 0 : counts.aliases
    }
}
