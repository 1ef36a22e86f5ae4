import Testing

/// Parameters have labels from the third on: a caller tells at most two arguments apart by their order alone.
struct LabelsTests {
    /// A declaration of a function, an initialiser or a subscript with three parameters or more that have no label.
    struct Finding {
        var line: Int
        var text: Substring
    }

    static func findings(in text: String) -> [Finding] {
        let code = self.withoutComments(text)
        let opening = #/\b(?:func\s+[^\s(<]+|init[?!]?|subscript)\s*(?:<[^(]*>)?\s*\(/#
        return code.matches(of: opening).compactMap { match in
            let parameters = self.parameters(from: match.range.upperBound, in: code)
            let unlabelled = parameters.count { $0.prefixMatch(of: #/\s*(?:@\w+\s+)*_\s+\w+\s*:/#) != nil }
            guard unlabelled > 2, let end = parameters.last?.endIndex else { return nil }
            let start = match.range.lowerBound
            return Finding(line: code[..<start].count { $0.isNewline } + 1, text: code[start..<end])
        }
    }

    /// The text with an empty line in the place of each line that is a comment.
    private static func withoutComments(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.drop(while: \.isWhitespace).hasPrefix("//") ? "" : $0 }
            .joined(separator: "\n")
    }

    /// The parameters from the place behind an opening parenthesis up to its closing one. A comma between the brackets
    /// of a generic type cuts a parameter in two; the second piece does not look like a parameter.
    private static func parameters(from start: String.Index, in text: String) -> [Substring] {
        var depth = 1
        var parameters: [Substring] = []
        var first = start
        for index in text[start...].indices {
            switch text[index] {
            case "(", "[", "{": depth += 1
            case ")", "]", "}": depth -= 1
            case "," where depth == 1:
                parameters.append(text[first..<index])
                first = text.index(after: index)
            default: break
            }
            if depth == 0 { return parameters + [text[first..<index]] }
        }
        return parameters
    }

    @Test func everyThirdParameterHasALabel() throws {
        for file in try SwiftFile.all(in: "Sources") {
            for finding in Self.findings(in: file.text) {
                Issue.record("\(file.path):\(finding.line): \(finding.text)")
            }
        }
    }

    @Test(arguments: [
        "func f(_ a: Int, _ b: Int, _ c: Int) {}",
        "init?<A>(\n    _ a: A,\n    _ b: [Int: Int] = [:],\n    at c: Int,\n    _ d: @escaping () -> Void\n) {}",
        "subscript(_ a: Int, _ b: (Int, Int), _ c: Int) -> Int { 0 }",
        "private func f(_ a: Map<Int, Int>, @Box _ b: Int, _ c: inout Int)",
    ])
    func findsWhatHasTooFewLabels(text: String) {
        #expect(Self.findings(in: text).count == 1)
    }

    @Test(arguments: [
        "func f(_ a: Int, _ b: Int, c: Int) {}",
        "func f(_ a: Int, _ b: Int, then c: (_ d: Int, _ e: Int, _ f: Int) -> Void) {}",
        "func f(_ a: Int) {}\nfunc g(_ b: Int, _ c: Int) {}",
        "// func f(_ a: Int, _ b: Int, _ c: Int)",
        "self.init(a, b, c)",
    ])
    func letsOthersPass(text: String) {
        #expect(Self.findings(in: text).isEmpty)
    }
}
