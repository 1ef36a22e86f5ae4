/// A pattern of topic names, in which each `*` stands for any text, also for none.
struct TopicPattern: Hashable, Sendable {
    /// The texts between the asterisks.
    private let parts: [Substring]

    init(_ text: String) { self.parts = text.split(separator: "*", omittingEmptySubsequences: false) }

    /// Whether the whole name fits the pattern.
    func matches(_ topic: String) -> Bool {
        guard let first = self.parts.first, let last = self.parts.last else { return topic.isEmpty }
        guard self.parts.count > 1 else { return topic == first }
        guard topic.hasPrefix(first), topic.utf8.count >= first.utf8.count + last.utf8.count,
            topic.hasSuffix(last)
        else { return false }
        var rest = topic.dropFirst(first.count).dropLast(last.count)
        for part in self.parts.dropFirst().dropLast() where !part.isEmpty {
            guard let found = rest.firstRange(of: part) else { return false }
            rest = rest[found.upperBound...]
        }
        return true
    }
}
