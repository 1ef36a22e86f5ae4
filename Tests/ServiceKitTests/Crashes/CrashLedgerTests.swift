import Testing

@testable import ServiceKit

struct CrashLedgerTests {
    private static func place(_ offset: Int64, topic: String = "activation") throws -> CrashLedger.Place {
        try #require(CrashLedger.Place(topic: topic, partition: 3, offset: offset))
    }

    @Test func countsTheRunsThatARecordHasKilledAndEachOnce() throws {
        var ledger = CrashLedger()
        ledger.charge(try Self.place(7), with: 1)
        ledger.charge(try Self.place(7), with: 1)
        ledger.charge(try Self.place(8), with: 1)
        #expect(ledger.deaths == [try Self.place(7): 1, try Self.place(8): 1])
        ledger.charge(try Self.place(7), with: 2)
        ledger.charge(try Self.place(7), with: 1)
        #expect(ledger.deaths[try Self.place(7)] == 2)
        #expect(ledger.forgive(try Self.place(7)))
        #expect(!ledger.forgive(try Self.place(7)))
        #expect(ledger.deaths == [try Self.place(8): 1])
    }

    @Test func aPartitionThatWasMadeAnewIsForgivenAsAWhole() throws {
        var ledger = CrashLedger()
        let other = try #require(CrashLedger.Place(topic: "activation", partition: 4, offset: 7))
        for place in [try Self.place(7), try Self.place(8), other] { ledger.charge(place, with: 1) }
        let answers = (0..<2).map { _ in ledger.forgive(topic: other.topic, partition: 3) }
        #expect(answers == [true, false])
        #expect(ledger.deaths == [other: 1])
    }

    @Test func forgetsTheOldestAndNotTheOneThatKillsNow() throws {
        var ledger = CrashLedger()
        for offset in 0..<Int64(CrashLedger.recordsLimit) { ledger.charge(try Self.place(offset), with: 1) }
        // The oldest kills again, and so is the newest.
        ledger.charge(try Self.place(0), with: 2)
        ledger.charge(try Self.place(5_000), with: 3)
        #expect(ledger.deaths.count == CrashLedger.recordsLimit)
        #expect(ledger.deaths[try Self.place(0)] == 2)
        #expect(ledger.deaths[try Self.place(1)] == nil)
        #expect(ledger.deaths[try Self.place(2)] == 1)
    }

    @Test func countsNoFurtherThanAnybodyLooks() throws {
        var ledger = CrashLedger()
        for run: UInt64 in 0..<50 { ledger.charge(try Self.place(1), with: run) }
        #expect(ledger.deaths[try Self.place(1)] == CrashLedger.deathsLimit)
    }

    @Test func isReadAsItWasWritten() throws {
        var random = SplitMix64(seed: 11)
        var ledger = CrashLedger()
        for _ in 0..<3_000 {
            let place = CrashLedger.Place(
                topic: ["a", "orders.v2_x-y", String(repeating: "t", count: 249)].randomElement(
                    using: &random
                ) ?? "",
                partition: .random(in: 0...Int32.max, using: &random),
                offset: .random(in: 0...3, using: &random) == 0 ? .max : .random(in: 0...9, using: &random)
            )
            ledger.charge(try #require(place), with: .random(in: 0...UInt64.max, using: &random))
        }
        let text = ledger.text
        #expect(text.utf8.count <= CrashLedger.bytesLimit)
        let read = try #require(CrashLedger.read(text))
        #expect(read.ledger == ledger)
        #expect(read.strangeLines == 0)
    }

    @Test func saysWhatAPersonCanRead() throws {
        var ledger = CrashLedger()
        ledger.charge(try Self.place(1_042), with: 0xABC)
        ledger.charge(try Self.place(1_042), with: .max)
        #expect(
            ledger.text == "flotilla crash ledger 1\nactivation/3/1042 0000000000000abc ffffffffffffffff\n"
        )
        #expect(CrashLedger().text == "flotilla crash ledger 1\n")
    }

    @Test(arguments: [
        "activation/3/1042", "activation/3/1042 ", "activation/3/1042 abc", "activation/3 0000000000000abc",
        "activation/3/1042 0000000000000abg", "activation/3/1042  0000000000000abc", "/3/1 0000000000000abc",
        "a b/3/1 0000000000000abc", "a/-1/1 0000000000000abc", "a/1/-1 0000000000000abc", "nonsense", " ",
        "a/99999999999/1 0000000000000abc", "a/1/1/1 0000000000000abc", "ü/1/1 0000000000000abc",
        "a/1/1" + String(repeating: " 0000000000000abc", count: 9),
    ])
    func aLineThatMakesNoSenseSpoilsNoOther(line: String) throws {
        let good = "activation/3/7 0000000000000abc"
        let read = try #require(CrashLedger.read("flotilla crash ledger 1\n\(line)\n\(good)\n"))
        #expect(read.strangeLines == 1)
        #expect(read.ledger.deaths == [try Self.place(7): 1])
    }

    /// A carriage return at the end of a line took the next record's deaths with it: to Swift the two are one character.
    @Test func aLineThatMakesNoSenseTakesNoOtherWithIt() throws {
        for strange in ["x", "activation/3/6 0000000000000abc\r", "\r", "\u{301}"] {
            let text = "flotilla crash ledger 1\n\(strange)\nactivation/3/7 0000000000000abc\n"
            let (ledger, strangeLines) = try #require(CrashLedger.read(text))
            #expect(ledger.deaths == [try Self.place(7): 1])
            #expect(strangeLines == 1)
        }
    }

    @Test(arguments: ["", "\n", "flotilla crash ledger 2\n", "activation/3/7 0000000000000abc\n", "\0\0\0"])
    func anothersFileIsNotReadAsOurs(text: String) {
        #expect(CrashLedger.read(text) == nil)
    }

    @Test func aFileThatIsTooLargeIsNotOurs() {
        let line = "activation/3/7 0000000000000abc\n"
        let text =
            "flotilla crash ledger 1\n"
            + String(repeating: line, count: CrashLedger.bytesLimit / line.utf8.count)
        #expect(CrashLedger.read(text) == nil)
    }

    @Test(arguments: [
        ("", 0, 0), (String(repeating: "t", count: 250), 0, 0), ("a/b", 0, 0), ("a b", 0, 0), ("a\n", 0, 0),
        ("a", -1, 0), ("a", 0, -1),
    ])
    func whatNoRecordCanHaveIsNoPlace(topic: String, partition: Int32, offset: Int64) {
        #expect(CrashLedger.Place(topic: topic, partition: partition, offset: offset) == nil)
    }
}
