import Terminal
import Testing
import WireFormats

@testable import DeadLetterTool

@Suite struct ShowTests {
    @Test(
        arguments: [
            (0, "0 s"), (99_999, "99 s"), (100_000, "1 min"), (5_999_000, "99 min"), (6_000_000, "1 h"),
            (172_799_000, "47 h"), (172_800_000, "2 d"), (-5_000, "0 s"),
        ] as [(Int64, String)]
    )
    func anAgeIsRounded(milliseconds: Int64, text: String) {
        #expect(Words.age(1_000_000_000_000 - milliseconds, now: 1_000_000_000_000) == text)
    }

    @Test(arguments: [Int64.min, .max])
    func noTimeIsTooOddForAnAge(time: Int64) {
        #expect(!Words.age(time, now: 1).isEmpty && !Words.age(1, now: time).isEmpty)
        #expect(!Words.time(time).isEmpty)
    }

    @Test(arguments: [(0, "0.0 %"), (1, "100.0 %"), (0.8696, "87.0 %"), (0.0004, "0.0 %")])
    func aShareHasOneDigit(share: Double, text: String) {
        #expect(Words.percent(share) == text)
    }

    @Test func aSparklineIsHighestWhereTheMostIs() {
        #expect(Words.sparkline([0, 1, 4, 8]) == " ▁▄█")
        #expect(Words.sparkline([0, 0]) == "  ")
        #expect(Words.sparkline([1]) == "▅")
    }

    @Test func aTableNeverMovesTheCursor() {
        var table = TextTable([("name", .left), ("count", .right)])
        table.add(["a\u{1B}[2J\nb", "7"])
        table.add(["long name", "1000"])
        let lines = table.lines()
        #expect(lines.count == 3)
        #expect(lines.allSatisfy { $0.unicodeScalars.allSatisfy { $0.value >= 0x20 } })
        #expect(lines[2] == "long name       1000")
    }

    @Test(arguments: [200, 80, 60, 40, 30])
    func aTableFitsItsTerminal(width: Int) {
        var table = TextTable(
            [("id", .left), ("reason", .left), ("worker", .left), ("count", .right), ("day", .left)],
            givingWay: ["day", "worker"]
        )
        let reason = "configuration.unknown_app and much more of it"
        let cells = ["g-0123456789", reason, "activation-worker", "12", "▁▁▁▁▁▁▁▁▁▁▁▁"]
        table.add(cells, inks: ["count": .bold])
        let lines = table.lines(on: Display(isTerminal: true, hasColour: false, width: width))
        #expect(lines.allSatisfy { $0.count <= width }, "\(lines)")
        // Numbers are never cut, and the column that gives way first is gone first.
        #expect(lines[1].contains("12"))
        #expect(lines[0].contains("day") == (width >= 200))
        #expect(lines[0].contains("worker") == (width >= 200))
        #expect(lines[1].contains(reason) == (width >= 80))
        let painted = table.lines(on: Display(isTerminal: true, hasColour: true, width: width))
        #expect(painted[1].contains("\u{1B}[1m12\u{1B}[0m"))
        #expect(painted[0] == lines[0])
    }

    @Test(arguments: [
        (["a", "b"], "\"a\",\"b\"\r"), (["say \"hi\""], "\"say \"\"hi\"\"\"\r"), (["=1+1"], "\"'=1+1\"\r"),
        (["-1", "@x", "+y"], "\"'-1\",\"'@x\",\"'+y\"\r"), (["a,b\nc"], "\"a,b\\nc\"\r"), ([""], "\"\"\r"),
    ])
    func aCellCannotBecomeAFormulaOrALine(cells: [String], line: String) {
        #expect(CSV.line(cells) == line)
    }

    @Test func jsonHasNoCharacterThatATerminalObeys() throws {
        let text = try JSONDocument.text(["a": "\u{9B}31m\u{202E}\u{7F}\u{E000}é"], isPretty: false)
        #expect(text == #"{"a":"\u009b31m\u202e\u007f\ue000é"}"#)
    }

    @Test(
        arguments: [
            ("2h", 1_000_000_000_000 - 7_200_000), ("2001-09-09", 999_993_600_000),
            ("2001-09-09T01:46:40Z", 1_000_000_000_000),
        ] as [(String, Int64)]
    )
    func aTimeIsOneOrHowLongAgo(text: String, milliseconds: Int64) throws {
        let time = try #require(TimeArgument(argument: text))
        #expect(time.milliseconds(now: 1_000_000_000_000) == milliseconds)
    }

    @Test(arguments: ["", "yesterday", "2h ago", "2001-13-01", "-"])
    func whatIsNoTimeIsRefused(text: String) {
        #expect(TimeArgument(argument: text) == nil)
    }
}
