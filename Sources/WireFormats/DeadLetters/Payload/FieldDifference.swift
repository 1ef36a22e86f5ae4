/// What an edit does to one leaf of a message, or to all that hangs at one place.
package struct FieldDifference: Hashable, Sendable {
    /// As a condition writes it: `a.b[0].c`, and every character prints. Empty for the message as a whole.
    package var path: String
    /// Nil where it was not there before, or is not there any more.
    package var old: JSONTree?
    package var new: JSONTree?

    /// In the order of the old message, what is new after it.
    package static func between(_ old: JSONTree?, _ new: JSONTree?) -> [FieldDifference] {
        var found: [FieldDifference] = []
        self.compare(old, new, at: "", &found)
        return found
    }

    /// The same with the values as two masked messages show them. What differs is decided by what is not masked.
    package static func between(
        _ old: DeadLetterPayload,
        _ new: DeadLetterPayload,
        maskedBy mark: (_ value: [UInt8]) -> String
    ) -> [FieldDifference] {
        let (masked, maskedNew) = (old.masked(by: mark).tree, new.masked(by: mark).tree)
        var found: [FieldDifference] = []
        self.compare(old.tree, new.tree, at: "", shown: (masked, maskedNew), &found)
        return found
    }

    /// On one line, of characters that print: `path: old → new`.
    package func line(longestText: Int = 128) -> String {
        func shown(_ tree: JSONTree?) -> String { tree?.line(longestText: longestText) ?? "(nothing)" }
        let path = self.path.isEmpty ? "(all)" : String(self.path.prefix(256))
        return "\(path): \(shown(self.old)) → \(shown(self.new))"
    }

    /// - Parameter shown: the trees that the values are taken from, of the same shape; nil takes them from themselves.
    private static func compare(
        _ old: JSONTree?,
        _ new: JSONTree?,
        at path: String,
        shown: (old: JSONTree?, new: JSONTree?)? = nil,
        _ found: inout [FieldDifference]
    ) {
        guard old != new else { return }
        let shown = shown ?? (old, new)
        switch (old, new, shown.old, shown.new) {
        case (.object(let olds)?, .object(let news)?, .object(let shownOlds)?, .object(let shownNews)?)
        where self.areDistinct(olds) && self.areDistinct(news):
            let newPlaces = Dictionary(news.enumerated().map { ($1.name, $0) }) { first, _ in first }
            let oldNames = Set(olds.map(\.name))
            for (index, member) in olds.enumerated() {
                let place = newPlaces[member.name]
                self.compare(
                    member.value,
                    place.map { news[$0].value },
                    at: self.path(path, shownOlds[index].name),
                    shown: (shownOlds[index].value, place.map { shownNews[$0].value }),
                    &found
                )
            }
            for (index, member) in news.enumerated() where !oldNames.contains(member.name) {
                let name = shownNews[index].name
                found.append(
                    FieldDifference(path: self.path(path, name), old: nil, new: shownNews[index].value)
                )
            }
        case (.array(let olds)?, .array(let news)?, .array(let shownOlds)?, .array(let shownNews)?):
            for index in 0..<max(olds.count, news.count) {
                func element(_ list: [JSONTree]) -> JSONTree? { index < list.count ? list[index] : nil }
                self.compare(
                    element(olds),
                    element(news),
                    at: "\(path)[\(index)]",
                    shown: (element(shownOlds), element(shownNews)),
                    &found
                )
            }
        default:
            found.append(FieldDifference(path: path, old: shown.old, new: shown.new))
        }
    }

    private static func areDistinct(_ members: [JSONTree.Member]) -> Bool {
        Set(members.map(\.name)).count == members.count
    }

    private static func path(_ path: String, _ name: String) -> String {
        let isPlain =
            !name.isEmpty
            && !name.unicodeScalars.contains {
                ".[]=!<>~ \"\\".unicodeScalars.contains($0) || SafeText.isTreacherous($0)
            }
        guard isPlain else { return path + "[" + JSONTree.string(name).line() + "]" }
        return path.isEmpty ? name : "\(path).\(name)"
    }
}
