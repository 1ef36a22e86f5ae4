/// The public declarations of a file, each on one line with the names of its room and its type. It reads files in the
/// house's format: four spaces for each level, and a declaration at the beginning of its line.
struct PublicSurface {
    private struct Scope {
        var indentation: Int
        var kind: Substring
        var name: Substring
        var isPublic: Bool
    }

    private let lines: [Substring]
    private let room: String
    private var scopes: [Scope] = []
    /// The declarations so far, in the order of the file.
    private(set) var declarations: [String] = []

    init(of text: String, in room: String) {
        self.lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        self.room = room
        for index in self.lines.indices { self.read(index) }
    }

    private mutating func read(_ index: Int) {
        let words = self.words(index)
        guard !words.isEmpty, !words.hasPrefix("//"), !words.hasPrefix("@") else { return }
        let indentation = self.indentation(index)
        self.scopes.removeAll { $0.indentation >= indentation }
        if self.isPublic(words, at: indentation) {
            let path = self.scopes.map(\.name).joined(separator: ".")
            let place = path.isEmpty ? self.room : "\(self.room) \(path)"
            let verb = self.scopes.last?.kind == "protocol" ? "requires " : ""
            self.declarations.append("\(place): \(verb)\(self.signature(from: index))")
        }
        if let type = words.prefixMatch(
            of: #/(?:\w+ )*?(struct|class|enum|protocol|actor|extension) ([\w.]+)/#
        ) {
            let isPublic = type.1 == "extension" || words.hasPrefix("public ")
            self.scopes.append(
                Scope(indentation: indentation, kind: type.1, name: type.2, isPublic: isPublic)
            )
        }
    }

    /// The line without its indentation and the attributes before a declaration.
    private func words(_ index: Int) -> Substring {
        self.lines[index].drop(while: \.isWhitespace).trimmingPrefix(#/(?:@\w+(?:\([^)]*\))? )+/#)
    }

    private func indentation(_ index: Int) -> Int { self.lines[index].prefix { $0 == " " }.count }

    private func isPublic(_ words: Substring, at indentation: Int) -> Bool {
        guard self.scopes.allSatisfy(\.isPublic), !words.hasPrefix("public import ") else { return false }
        if words.hasPrefix("public ") { return true }
        // A conformance is public without the word.
        if words.prefixMatch(of: #/extension [\w.]+:/#) != nil { return true }
        guard let scope = self.scopes.last, indentation == scope.indentation + 4 else { return false }
        switch scope.kind {
        case "protocol":
            return words.prefixMatch(
                of: #/(?:\w+ )*?(?:func|var|init|subscript|associatedtype|typealias)\b/#
            ) != nil
        case "enum": return words.hasPrefix("case ")
        default: return false
        }
    }

    /// The declaration that begins in a line, without its body.
    private func signature(from first: Int) -> String {
        var signature = ""
        var depth = 0
        for index in self.lines.indices[first...] {
            if index > first { signature += " " }
            for character in self.words(index) {
                if "([".contains(character) { depth += 1 }
                if ")]".contains(character) { depth -= 1 }
                if character == "{", depth == 0 {
                    return Self.tidy(signature) + self.accessors(of: signature, from: first, to: index)
                }
                signature.append(character)
            }
            let next = index + 1 < self.lines.count ? self.words(index + 1) : ""
            let goesOn = ["->", "where ", "throws", "async", "{"].contains { next.hasPrefix($0) }
            if depth == 0, !goesOn { break }
        }
        return Self.tidy(signature)
    }

    private static func tidy(_ signature: String) -> String {
        signature.replacing("( ", with: "(").replacing(" )", with: ")").replacing("[ ", with: "[")
            .trimmingPrefix("public ").split(separator: " ").joined(separator: " ")
    }

    /// Tells whether a computed property can be set. Its body begins in the second of the lines.
    private func accessors(of signature: String, from first: Int, to index: Int) -> String {
        guard signature.firstMatch(of: #/\bvar \w+:/#) != nil else { return "" }
        let indentation = self.indentation(first)
        let body = self.lines[index...].dropFirst().prefix { line in
            line.isEmpty || line.prefix { $0 == " " }.count > indentation
        }
        let isOneLine = self.lines[index].hasSuffix("}")
        let words = isOneLine ? [self.lines[index]] : body.map { $0.drop(while: \.isWhitespace) }
        let canBeSet = words.contains { $0.hasPrefix("set ") || $0.contains("{ get set }") }
        return canBeSet ? " { get set }" : " { get }"
    }
}
