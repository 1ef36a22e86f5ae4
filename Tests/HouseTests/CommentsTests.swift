import Testing

/// Every sentence of a comment in `Sources` and in `Tests` names its subject.
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
