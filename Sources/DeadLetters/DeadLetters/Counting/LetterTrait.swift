/// A property of dead letters by which they are counted.
package enum LetterTrait: Hashable, Sendable {
    /// The key of the record that died.
    case key
    /// The partition that the record died in; for letters that do not name it, their own.
    case partition
    /// The hour, in UTC, in which the letter was written.
    case hour
    /// The value of a header.
    case header(String)
    /// The part of the decoded payload that stands at a place.
    case field(PayloadPath)

    /// Reads `key`, `partition`, `hour`, `header:NAME`, or a place in the payload such as `appId`. A member that
    /// is named like one of the three words stands in brackets: `["key"]`.
    ///
    /// - Throws: `PayloadPath.Fault` if the text is none of these.
    package init(_ text: String) throws(PayloadPath.Fault) {
        switch text {
        case "key": self = .key
        case "partition": self = .partition
        case "hour": self = .hour
        case _ where text.hasPrefix("header:"):
            let name = text.dropFirst("header:".count)
            guard 1...Self.headerBytesLimit ~= name.utf8.count else {
                throw PayloadPath.Fault(
                    sentence:
                        "After \"header:\" should stand a name of at most \(Self.headerBytesLimit) bytes."
                )
            }
            self = .header(String(name))
        default:
            guard text.utf8.count <= Self.pathBytesLimit else {
                throw PayloadPath.Fault(sentence: "The path has more than \(Self.pathBytesLimit) bytes.")
            }
            var rest = text[...]
            let path = try PayloadPath(before: &rest)
            guard rest.isEmpty else {
                throw PayloadPath.Fault(sentence: "After the path should stand nothing more.")
            }
            self = .field(path)
        }
    }

    private static let headerBytesLimit = 256
    private static let pathBytesLimit = 4_096
}
