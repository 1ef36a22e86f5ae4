/// A pattern of names, such as those of topics, in which each `*` stands for any text, also for none.
struct NamePattern: Hashable, Sendable {
    /// The texts between the asterisks.
    private let parts: [Substring]

    init(_ text: String) { self.parts = text.split(separator: "*", omittingEmptySubsequences: false) }

    /// Whether the pattern has no asterisk, so that it means one name.
    var isOneName: Bool { self.parts.count == 1 }

    /// Whether the whole name fits the pattern.
    func matches(_ name: String) -> Bool {
        guard let first = self.parts.first, let last = self.parts.last else { return name.isEmpty }
        guard self.parts.count > 1 else { return name == first }
        guard name.hasPrefix(first), name.utf8.count >= first.utf8.count + last.utf8.count,
            name.hasSuffix(last)
        else { return false }
        var rest = name.dropFirst(first.count).dropLast(last.count)
        for part in self.parts.dropFirst().dropLast() where !part.isEmpty {
            guard let found = rest.firstRange(of: part) else { return false }
            rest = rest[found.upperBound...]
        }
        return true
    }
}
