/// A step that brings a topic nearer to how it has to be.
enum TopicChange: Hashable, Sendable {
    case create(partitions: Int, settings: [String: String])
    case grow(from: Int, to: Int)
    case set(name: String, from: String, to: String)

    /// The name of the setting that is changed; nil for another change.
    var setting: String? { if case .set(let name, _, _) = self { name } else { nil } }

    /// The step as a line for an operator.
    var line: String {
        switch self {
        case .create(let partitions, let settings):
            let told = settings.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            return (["create, partitions \(partitions)"] + told).joined(separator: ", ")
        case .grow(let from, let to): return "add partitions: \(from) -> \(to)"
        case .set(let name, let from, let to): return "set \(name): \(from) -> \(to)"
        }
    }
}
