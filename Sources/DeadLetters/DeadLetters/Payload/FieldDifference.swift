/// One difference that an edit makes: at one leaf of a message, or at a whole list or object that was added,
/// removed or replaced.
package struct FieldDifference: Hashable, Sendable {
    /// The place, as a condition writes it: `a.b[0].c`, in printable characters. Empty for the message as a
    /// whole.
    package var path: String
    /// The value before the edit; nil if the place did not exist before.
    package var old: JSONTree?
    /// The value after the edit; nil if the place does not exist any more.
    package var new: JSONTree?

    /// Returns the differences in the order of the old message; new members of an object come after its old
    /// ones.
    package static func between(_ old: JSONTree?, _ new: JSONTree?) -> [FieldDifference] {
        var found: [FieldDifference] = []
        self.compare(old, new, at: "", into: &found)
        return found
    }

    /// Returns the differences with their values masked. The comparison itself uses the unmasked messages, so
    /// that two different values with equal marks still differ.
    package static func between(
        _ old: DeadLetterPayload,
        _ new: DeadLetterPayload,
        masking: (DeadLetterPayload) -> DeadLetterPayload
    ) -> [FieldDifference] {
        let (masked, maskedNew) = (masking(old).tree, masking(new).tree)
        var found: [FieldDifference] = []
        self.compare(old.tree, new.tree, at: "", shown: (masked, maskedNew), into: &found)
        return found
    }

    /// Returns the difference on one line of printable characters: `path: old → new`.
    ///
    /// - Parameter longestText: characters of one text that are shown before a `…`.
    package func line(longestText: Int = 128) -> String {
        func shown(_ tree: JSONTree?) -> String { tree?.line(longestText: longestText) ?? "(nothing)" }
        let path = self.path.isEmpty ? "(all)" : String(self.path.prefix(256))
        return "\(path): \(shown(self.old)) → \(shown(self.new))"
    }

    /// Adds the differences of two trees to `found`.
    ///
    /// - Parameter shown: trees of the same shape from which the shown values are taken; nil takes the
    ///   compared trees themselves.
    private static func compare(
        _ old: JSONTree?,
        _ new: JSONTree?,
        at path: String,
        shown: (old: JSONTree?, new: JSONTree?)? = nil,
        into found: inout [FieldDifference]
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
                    at: PayloadPath.text(path, then: shownOlds[index].name),
                    shown: (shownOlds[index].value, place.map { shownNews[$0].value }),
                    into: &found
                )
            }
            for (index, member) in news.enumerated() where !oldNames.contains(member.name) {
                let name = shownNews[index].name
                found.append(
                    FieldDifference(
                        path: PayloadPath.text(path, then: name),
                        old: nil,
                        new: shownNews[index].value
                    )
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
                    into: &found
                )
            }
        default:
            found.append(FieldDifference(path: path, old: shown.old, new: shown.new))
        }
    }

    private static func areDistinct(_ members: [JSONTree.Member]) -> Bool {
        Set(members.map(\.name)).count == members.count
    }
}
