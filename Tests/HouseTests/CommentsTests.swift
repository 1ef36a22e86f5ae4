import Testing

/// Every sentence of a comment in `Sources` and in `Tests` names its subject, and so does every sentence that the programs
/// of `Sources` tell people.
struct CommentsTests {
    private struct Block {
        var place: String
        var text: String
    }

    /// The comments of a file, each with all its lines as one text.
    private static func blocks(of text: String, in file: String) -> [Block] {
        var blocks: [Block] = []
        var isOpen = false
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            guard let match = line.wholeMatch(of: #/\s*\/\/\/?\s?(.*)/#) else {
                isOpen = false
                continue
            }
            if isOpen {
                blocks[blocks.count - 1].text += " \(match.1)"
            } else {
                blocks.append(Block(place: "\(file):\(index + 1)", text: String(match.1)))
            }
            isOpen = true
        }
        return blocks
    }

    /// Sentences that open with a word that leaves the reader to guess who or what they are about.
    static func sentencesWithoutSubject(in text: String) -> [Substring] {
        let opening =
            #/(?:^|[.?!:]\s+)((?:What|Who|Whoever|Whatever|Nobody|Those|Of|The same)\b.*?(?:[.?!]|$))/#
        return text.matches(of: opening).map(\.1)
    }

    /// The string literals of a file, each with all its lines as one text. One with an interpolation that has a literal
    /// of its own comes in pieces.
    private static func literals(of text: String, in file: String) -> [Block] {
        var literals: [Block] = []
        var isOpen = false
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let words = line.drop(while: \.isWhitespace)
            if !isOpen, words.hasPrefix("//") { continue }
            let place = "\(file):\(index + 1)"
            if line.firstMatch(of: #/"""/#) != nil {
                if !isOpen { literals.append(Block(place: place, text: "")) }
                isOpen.toggle()
            } else if isOpen {
                let isFirst = literals[literals.count - 1].text.isEmpty
                let shown = words.last == "\\" ? words.dropLast() : words
                literals[literals.count - 1].text += isFirst ? String(shown) : " \(shown)"
            } else {
                for match in line.matches(of: #/"((?:[^"\\]|\\.)*)"/#) {
                    literals.append(Block(place: place, text: String(match.1)))
                }
            }
        }
        return literals
    }

    /// The sentences in a text for people that open with such a word.
    static func sentencesForPeople(in text: String) -> [Substring] {
        let opening = #/(?:^|\.\s+)((?:What|Who|Nobody|Those|Of|The same) .*?(?:[.?!]|$))/#
        return text.matches(of: opening).map(\.1)
    }

    @Test func everyTextForPeopleNamesItsSubject() throws {
        var count = 0
        for file in try SwiftFile.all(in: "Sources") {
            for literal in Self.literals(of: file.text, in: file.path) where literal.text.contains(" ") {
                count += 1
                for sentence in Self.sentencesForPeople(in: literal.text) {
                    Issue.record("\(literal.place): \(sentence.prefix(90))")
                }
            }
        }
        #expect(count > 3_000)
    }

    @Test(arguments: [
        #"help: "Who is asked.""#,
        #"let text = "\(name("x")) is gone. What is left stays.""#,
        "\"\"\"\n    Of all records \\\n    one is left.\n    \"\"\"",
    ])
    func findsTextsWithoutSubject(text: String) {
        let literals = Self.literals(of: text, in: "file")
        #expect(literals.contains { !Self.sentencesForPeople(in: $0.text).isEmpty })
    }

    @Test(arguments: [
        #"/// Says "Who is asked.""#,
        #"help: "The records. Whole ones only.""#,
        #"let what = "what is left""#,
    ])
    func letsOtherTextsPass(text: String) {
        let literals = Self.literals(of: text, in: "file")
        #expect(literals.allSatisfy { Self.sentencesForPeople(in: $0.text).isEmpty })
    }

    @Test(arguments: [("Sources", 4_000), ("Tests", 1_000)])
    func everySentenceNamesItsSubject(folder: String, leastCount: Int) throws {
        var count = 0
        for file in try SwiftFile.all(in: folder) {
            for block in Self.blocks(of: file.text, in: file.path) {
                count += 1
                for sentence in Self.sentencesWithoutSubject(in: block.text) {
                    Issue.record("\(block.place): \(sentence.prefix(90))")
                }
            }
        }
        #expect(count > leastCount)
    }

    @Test(arguments: [
        "Who leaves takes up nothing.", "Reads a record. Of a replay, nothing is left.", "The same again.",
    ])
    func findsWhatHasNoSubject(text: String) {
        #expect(!Self.sentencesWithoutSubject(in: text).isEmpty)
    }

    @Test(arguments: [
        "A record that waits.", "Offers what is left. Whole sentences only.", "Nothing is lost.",
    ])
    func letsOthersPass(text: String) {
        #expect(Self.sentencesWithoutSubject(in: text).isEmpty)
    }
}
