import Cryptography
import Operations
import Testing

@testable import DeadLetters

@Suite struct LetterPositionTests {
    @Test(arguments: [
        LetterPosition(topic: "a", partition: 0, offset: 0),
        LetterPosition(topic: "orders.dead-letter", partition: .max, offset: .max),
    ])
    func readsWhatItWrites(position: LetterPosition) {
        #expect(LetterPosition(position.description) == position)
    }

    @Test(arguments: [
        "", "a", "a/0", "/0/0", "a/0/0/0", "a/-1/0", "a/0/-1", "a/x/0", "a/0/x", "a/0/", "a//0",
        "a/2147483648/0",
        "a/0/9223372036854775808", "a/ 0/0",
    ])
    func refusesWhatIsNoPosition(text: String) {
        #expect(LetterPosition(text) == nil)
    }

    @Test func isOrderedByTopicPartitionAndOffset() {
        let sorted = ["a/0/2", "a/0/10", "a/1/0", "a/10/0", "b/0/0"].compactMap { LetterPosition($0) }
        #expect(sorted.shuffled().sorted() == sorted && sorted.count == 5)
    }
}

@Suite struct NamePatternTests {
    @Test(arguments: [
        ("orders", "orders", true), ("orders", "orders2", false), ("orders", "", false), ("", "", true),
        ("", "a", false),
        ("*", "", true), ("*", "anything.at-all", true), ("**", "a", true),
        ("*.dead-letter", "orders.dead-letter", true), ("*.dead-letter", ".dead-letter", true),
        ("*.dead-letter", "dead-letter", false), ("*.dead-letter", "orders.dead-letter.ledger", false),
        ("dlq-*", "dlq-", true), ("dlq-*", "dlq", false), ("dlq-*", "a.dlq-b", false),
        ("a*b*c", "abc", true), ("a*b*c", "a.b.c", true), ("a*b*c", "acb", false), ("a*b*c", "a.c", false),
        // A part that begins the text does not end it as well.
        ("aba*aba", "aba", false), ("aba*aba", "ababa", false), ("aba*aba", "abaaba", true),
        ("a*bc*bc", "a.bc", false), ("a*bc*bc", "abcbc", true),
        ("a?", "ab", false), ("[ab]", "a", false),
    ])
    func aStarStandsForAnyText(pattern: String, topic: String, matches: Bool) {
        #expect(NamePattern(pattern).matches(topic) == matches)
    }
}

@Suite struct LetterGroupTests {
    private static func group(_ parts: [String]) -> LetterGroup {
        LetterGroup(topic: parts[0], worker: parts[1], kind: parts[2], reason: parts[3], dialect: parts[4])
    }

    /// Typed from one engineer's screen into another's terminal: it stays what it is.
    @Test func itsMarkIsTheSameEverywhere() {
        let group = Self.group(["orders.dead-letter", "activation-worker", "rejected", "gdt.-2", "flotilla"])
        #expect(group.mark == "g-e362f2e422")
    }

    @Test func whateverDiffersMakesAnotherMark() {
        let parts = ["t", "w", "k", "r", "d"]
        var marks: Set<String> = [Self.group(parts).mark]
        for index in parts.indices {
            var other = parts
            other[index] += "1"
            marks.insert(Self.group(other).mark)
        }
        // A part that ends where the next begins.
        marks.insert(Self.group(["tw", "", "k", "r", "d"]).mark)
        marks.insert(Self.group(["", "tw", "k", "r", "d"]).mark)
        marks.insert(Self.group(["t1:w", "", "k", "r", "d"]).mark)
        var ofField = Self.group(parts)
        ofField.field = "value"
        marks.insert(ofField.mark)
        #expect(marks.count == 10)
        for mark in marks {
            #expect(mark.hasPrefix("g-") && mark.utf8.count == 12)
        }
    }
}

@Suite struct LetterStateTests {
    @Test(arguments: LetterState.allCases)
    func everyStateHasAWordOfItsOwn(state: LetterState) {
        #expect(LetterState(word: state.word) == state)
    }

    @Test(arguments: [
        ("succeeded", LetterState.succeeded), ("rejected", .rejected), ("expired", .expired),
        ("dead_lettered", .deadAgain), ("something new", .replayed),
    ])
    func aFateIsAState(fate: String, state: LetterState) {
        #expect(LetterState(fate: fate) == state)
    }
}

@Suite struct KeyedMarkTests {
    @Test func equalValuesHaveEqualMarksUnderOneSalt() {
        let (one, other) = (KeyedMark(salt: "one"), KeyedMark(salt: "other"))
        #expect(one.text([1, 2]) == one.text([1, 2]) && one.text([1, 2]) != one.text([1, 3]))
        #expect(one.text([1, 2]) != other.text([1, 2]) && one.saltCheck != other.saltCheck)
    }

    /// So that a device can be followed from the log to its dead letter, where both have one salt.
    @Test(arguments: [[], [0], Array("device-1".utf8), [UInt8](repeating: 0xFF, count: 10_000)])
    func isTheMarkThatLogsHave(bytes: [UInt8]) {
        let log = Redaction(salt: Secret("one")) { key, bytes in MessageAuthentication(key: key)(bytes) }
        #expect(KeyedMark(salt: "one").text(bytes) == log.mark(bytes))
        #expect(KeyedMark(salt: "other").text(bytes) != log.mark(bytes))
    }

    @Test func hasTwelveDigitsWhateverTheNumber() {
        #expect(KeyedMark.text(0) == "#000000000000" && KeyedMark.text(0xFFFF_FFFF_FFFF) == "#ffffffffffff")
    }
}
