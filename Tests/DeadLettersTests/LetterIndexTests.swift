import Foundation
import GRDB
import Kafka
import Testing
import WorkerTestSupport

@testable import DeadLetters

/// Which order news arrives in makes no difference, and none of it counts twice.
@Suite struct LetterIndexTests {
    private static func letter(_ offset: Int64, _ source: Int64? = nil) -> IndexUnderTest.Letter {
        IndexUnderTest.letter(offset, source: source ?? offset)
    }

    private static func id(_ source: Int64) -> LetterID { Self.letter(0, source).id }

    @Test func aNewLetterIsOpen() throws {
        let test = try IndexUnderTest()
        try test.take([Self.letter(0), Self.letter(1)])
        #expect(try test.states() == [.open, .open])
        #expect(try test.groups().map(\.open) == [2])
        #expect(try test.index.ledgerStanding(of: Self.id(0)) == nil)
    }

    /// All that is told of one letter, in every order that it can be read in.
    @Test(arguments: [
        ["letter", "ledger", "ending"], ["letter", "ending", "ledger"], ["ledger", "letter", "ending"],
        ["ledger", "ending", "letter"], ["ending", "letter", "ledger"], ["ending", "ledger", "letter"],
    ])
    func newsMayArriveInAnyOrder(order: [String]) throws {
        let test = try IndexUnderTest()
        for news in order {
            switch news {
            case "letter": try test.take([Self.letter(0)])
            case "ledger": try test.ledger(.replayed(Self.id(0), "r-1"))
            default: try test.endings(("r-1", "succeeded"))
            }
            #expect(try test.buckets() == test.recount())
        }
        #expect(try test.states() == [.succeeded])
        #expect(try test.index.replays(limit: 9).map(\.state) == [.succeeded])
        #expect(try test.index.ledgerStanding(of: Self.id(0))?.state == .succeeded)
        #expect(try test.groups().map(\.open) == [0])
    }

    /// From a ledger that was made anew, an entry may be read a second time.
    @Test func anEntryThatIsReadAgainUndoesNothing() throws {
        let test = try IndexUnderTest()
        try test.take([Self.letter(0)])
        for _ in 0..<2 {
            try test.ledger(.replayed(Self.id(0), "r-1"))
            try test.endings(("r-1", "succeeded"))
        }
        try test.ledger(.replayed(Self.id(0), "r-1"))
        #expect(try test.states() == [.succeeded])
        #expect(try test.index.ledgerStanding(of: Self.id(0))?.state == .succeeded)
    }

    /// A worker that is killed before its commit handles the record again. A success was ignored then, and the next replay
    /// sent a second conversion.
    @Test(arguments: [true, false])
    func theFirstEndingStandsUnlessALaterOneIsASuccess(isLedgerFirst: Bool) throws {
        let test = try IndexUnderTest()
        try test.take([Self.letter(0)])
        if isLedgerFirst { try test.ledger(.replayed(Self.id(0), "r-1")) }
        try test.endings(("r-1", "rejected"), ("r-1", "expired"), ("r-1", "a new fate"))
        if !isLedgerFirst { try test.ledger(.replayed(Self.id(0), "r-1")) }
        #expect(try test.states() == [.rejected])
        try test.endings(("r-1", "succeeded"), ("r-1", "dead_lettered"))
        #expect(try test.states() == [.succeeded])
        #expect(try test.index.ledgerStanding(of: Self.id(0))?.hasSucceeded == true)
        #expect(try test.index.batches(limit: 9).map(\.counts) == [[.succeeded: 1]])
        #expect(try test.index.replays(limit: 9).map(\.reason) == [nil])
    }

    /// All endings come before the ledger's entry.
    @Test func aSuccessCountsAlsoAmongEndingsThatCameFirst() throws {
        let test = try IndexUnderTest()
        try test.take([Self.letter(0)])
        try test.endings(("r-1", "dead_lettered"), ("r-1", "succeeded"), ("r-1", "rejected"))
        try test.ledger(.replayed(Self.id(0), "r-1"))
        #expect(try test.states() == [.succeeded])
    }

    /// The first try of a replay ends as a letter of its own, and the second one succeeds.
    @Test(arguments: [
        ["letter", "ledger", "ending"], ["letter", "ending", "ledger"], ["ledger", "letter", "ending"],
        ["ledger", "ending", "letter"], ["ending", "letter", "ledger"], ["ending", "ledger", "letter"],
    ])
    func theLetterOfARecordThatHasSucceededIsNotOpen(order: [String]) throws {
        let test = try IndexUnderTest()
        try test.take([Self.letter(0, 1)])
        var born = Self.letter(1, 2)
        born.replay = "r-1"
        for news in order {
            switch news {
            case "letter": try test.take([born])
            case "ledger": try test.ledger(.replayed(Self.id(1), "r-1"))
            default: try test.endings(("r-1", "succeeded"))
            }
            #expect(try test.buckets() == test.recount())
        }
        #expect(try test.states() == [.succeeded, .succeeded])
        #expect(try test.groups().map(\.open) == [0])
        let standing = try test.index.ledgerStanding(of: born.id)
        #expect(standing?.state == .succeeded && standing?.hasSucceeded == true && standing?.by == "anna")
        #expect(try test.index.replays(limit: 9).map(\.state) == [.succeeded])
    }

    /// A record that dies again and again has many letters, and succeeds once.
    @Test func aSuccessIsThatOfAllLettersOfARecord() throws {
        let test = try IndexUnderTest()
        try test.take([Self.letter(0, 1), Self.letter(1, 9)])
        try test.ledger(.replayed(Self.id(1), "r-1"), .replayed(Self.id(9), "r-9"))
        var (second, third) = (Self.letter(2, 2), Self.letter(3, 3))
        second.replay = "r-1"
        try test.take([second])
        try test.ledger(.replayed(second.id, "r-2"))
        third.replay = "r-2"
        try test.take([third])
        #expect(try test.states() == [.deadAgain, .replayed, .deadAgain, .open])
        #expect(try test.index.ledgerStanding(of: third.id) == nil)
        try test.ledger(.replayed(third.id, "r-3"))
        try test.endings(("r-3", "succeeded"))
        let standings = try [Self.id(1), second.id, third.id].map { try test.index.ledgerStanding(of: $0) }
        #expect(standings.map { $0?.state } == [.deadAgain, .deadAgain, .succeeded])
        #expect(standings.allSatisfy { $0?.hasSucceeded == true })
        #expect(try test.index.ledgerStanding(of: Self.id(9))?.hasSucceeded == false)
        // A letter that was written by the first try of a replay, and is read only now.
        var late = Self.letter(4, 4)
        late.replay = "r-3"
        try test.take([late])
        #expect(try test.states().last == .succeeded)
        #expect(try test.buckets() == test.recount())
    }

    /// A publisher that copies a replayed record copies the id of the replay too.
    @Test(arguments: [true, false])
    func onlyTheRecordThatWasSentSettlesAReplay(isLedgerFirst: Bool) throws {
        let test = try IndexUnderTest()
        try test.take([Self.letter(0, 1)])
        var entry = LedgerEntry.replayed(Self.id(1), "r-1")
        entry.sentTo = LetterPosition(topic: "orders", partition: 0, offset: 7)
        if isLedgerFirst { try test.ledger(entry) }
        var copy = Self.letter(1, 8)
        (copy.replay, copy.replays) = ("r-1", 1)
        try test.take([copy])
        try test.ending("r-1", "succeeded", of: LetterPosition(topic: "orders", partition: 0, offset: 8))
        try test.ending("r-1", "rejected", of: LetterPosition(topic: "orders", partition: 1, offset: 7))
        try test.ending("r-1", "succeeded", of: LetterPosition(topic: "payments", partition: 0, offset: 7))
        if !isLedgerFirst { try test.ledger(entry) }
        #expect(try test.states() == [.replayed, .open])
        #expect(try test.letters().map(\.replays) == [0, 0])
        #expect(try test.index.letters(bornOf: ["r-1"], limit: 9).isEmpty)
        try test.ending("r-1", "succeeded", of: LetterPosition(topic: "orders", partition: 0, offset: 7))
        #expect(try test.states() == [.succeeded, .open])
        #expect(try test.buckets() == test.recount())
    }

    /// Any publisher can write the id of a replay on all of its records.
    @Test func endingsOfAnUnknownReplayHaveABound() throws {
        let test = try IndexUnderTest()
        for offset in Int64(0)..<100 {
            try test.ending(
                "r-1",
                "succeeded",
                of: LetterPosition(topic: "orders", partition: 0, offset: offset)
            )
        }
        let count = try test.index.pool.read { database in
            try Int.fetchOne(database, sql: "SELECT count(*) FROM endings")
        }
        #expect(count == 16)
    }

    /// The column of replays showed 0 for a letter that was replayed: only its headers were looked at.
    @Test func theReplaysOfTheLedgerAreCounted() throws {
        let test = try IndexUnderTest()
        try test.take([Self.letter(0), Self.letter(1)])
        var second = LedgerEntry.replayed(Self.id(0), "r-2")
        second.replays = 2
        try test.ledger(.replayed(Self.id(0), "r-1"), second)
        let letters = try test.letters()
        #expect(letters.map(\.allReplays) == [2, 0])
        #expect(letters.map(\.replays) == [0, 0], "neither of them was a replay before it died")
    }

    /// Any publisher can write the headers of a replay on its records.
    @Test func aReplayThatTheLedgerDoesNotKnowIsNotBelieved() throws {
        let test = try IndexUnderTest()
        var claim = Self.letter(1)
        (claim.replay, claim.replays) = ("r-1", 7)
        var mute = Self.letter(2)
        mute.replay = "r-1"
        try test.take([Self.letter(0), claim, mute])
        #expect(try test.letters().map(\.replays) == [0, 0, 0])
        #expect(try test.letters().map(\.allReplays) == [0, 0, 0])
        #expect(try test.states() == [.open, .open, .open])
        try test.ledger(.replayed(Self.id(0), "r-1"))
        #expect(try test.letters().map(\.replays) == [0, 7, 1])
    }

    /// The outcome of an earlier replay says nothing about the latest.
    @Test func aLettersStateIsThatOfItsLatestReplay() throws {
        let test = try IndexUnderTest()
        try test.take([Self.letter(0)])
        try test.ledger(.replayed(Self.id(0), "r-1"), .replayed(Self.id(0), "r-2"))
        try test.endings(("r-1", "rejected"))
        #expect(try test.states() == [.replayed])
        try test.endings(("r-2", "succeeded"))
        #expect(try test.states() == [.succeeded])
        let states = try test.index.replays(letter: Self.id(0), limit: 9).map { [$0.id: $0.state] }
        #expect(Set(states) == [["r-1": .rejected], ["r-2": .succeeded]])
    }

    /// The topic of the record was deleted and made again, so that another record has its offset.
    @Test func aLetterOfATopicThatWasMadeAnewIsALetterOfItsOwn() throws {
        let test = try IndexUnderTest()
        var (old, new) = (Self.letter(0, 7), Self.letter(1, 7))
        new.publishedAt = old.publishedAt + 1
        try test.take([old])
        try test.index.indexLetterIDs()
        try test.ledger(.discarded(old.id))
        try test.take([new])
        let states = try test.letters().map { [$0.id: $0.state] }
        #expect(Set(states) == [[old.id: .discarded], [new.id: .open]])
    }

    @Test func whatIsDiscardedStaysDiscarded() throws {
        let test = try IndexUnderTest()
        try test.take([Self.letter(0)])
        try test.ledger(.replayed(Self.id(0), "r-1"), .discarded(Self.id(0)))
        try test.endings(("r-1", "succeeded"))
        #expect(try test.states() == [.discarded])
        #expect(try test.index.replays(limit: 9).map(\.state) == [.succeeded])
    }

    /// A worker that crashed between letter and commit writes it again: two records, one letter. It is found at the end
    /// of the first look, and as it comes after that.
    @Test(arguments: [[[0, 1, 2, 3]], [[0], [1, 2], [3]], [[0, 1, 2], [3]]])
    func aLetterThatWasWrittenTwiceCountsOnce(looks: [[Int64]]) throws {
        let test = try IndexUnderTest()
        for look in looks {
            try test.take(look.map { Self.letter($0, $0 == 2 ? 2 : 7) })
            try test.index.indexLetterIDs()
        }
        #expect(try test.letters().map(\.id) == [Self.id(7), Self.id(2)])
        #expect(try test.groups().map(\.count) == [2] && test.groups().map(\.open) == [2])
        #expect(try test.buckets() == test.recount())
        // By its position each of its copies is found.
        var filter = LetterFilter()
        filter.positions = [Self.letter(3).position]
        #expect(try test.letters(filter).map(\.id) == [Self.id(7)])
        try test.ledger(.replayed(Self.id(7), "r-1"))
        #expect(try test.states() == [.replayed, .open] && test.states(filter) == [.replayed])
        #expect(try test.groups().map(\.open) == [1])
        #expect(try test.index.ids(beginningWith: "\(Self.id(7))") == [Self.id(7)])
    }

    /// The broker deletes the first copy of a letter, and the letter is there as long as one copy is.
    @Test func aLetterIsCountedAsLongAsACopyIsThere() throws {
        let test = try IndexUnderTest()
        try test.take((0..<4).map { Self.letter($0, 7) })
        try test.index.indexLetterIDs()
        let stand = try test.stand("orders.dead-letter", 0)
        for first in Int64(1)...3 {
            try test.index.prune(stand, before: first)
            #expect(try test.letters().map(\.position.offset) == [first])
            #expect(try test.groups().map(\.count) == [1])
            #expect(try test.buckets() == test.recount())
        }
        try test.index.prune(stand, before: 4)
        #expect(try test.letters().isEmpty && test.groups().isEmpty)
    }

    /// A letter that its record became again is how the replay ended, also where nobody publishes results.
    @Test func aLetterOfAReplayIsItsOutcome() throws {
        let test = try IndexUnderTest()
        try test.take([Self.letter(0, 1)])
        try test.ledger(.replayed(Self.id(1), "r-1"))
        var again = Self.letter(1, 2)
        again.replay = "r-1"
        try test.take([again])
        #expect(try test.states() == [.deadAgain, .open])
        #expect(try test.index.letters(bornOf: ["r-1"], limit: 9).map(\.id) == [again.id])
        #expect(try test.index.letters(bornOf: ["r-2"], limit: 9).isEmpty)
        #expect(try test.index.letters(bornOf: [], limit: 9).isEmpty)
    }

    @Test func aCommandsReplaysAreCounted() throws {
        let test = try IndexUnderTest()
        try test.ledger(
            .replayed(Self.id(0), "r-1", at: Letters.start + 5),
            .replayed(Self.id(1), "r-2"),
            .replayed(Self.id(2), "r-3")
        )
        try test.endings(("r-2", "succeeded"), ("r-3", "dead_lettered"))
        let batch = try #require(try test.index.batches(limit: 9).first)
        #expect(batch.counts == [.replayed: 1, .succeeded: 1, .deadAgain: 1] && batch.total == 3)
        #expect(batch.at == Letters.start && batch.targets == ["orders"] && batch.by == "anna")
        #expect(try test.index.batches(limit: 9, batch: "r-0000000002").isEmpty)
        // The replay that has died may succeed yet, and is looked for from its time on.
        #expect(try test.index.waitingReplays(endedSince: .max) == ["orders": Letters.start])
        var other = LedgerEntry.replayed(Self.id(3), "r-4")
        other.target = "payments"
        try test.ledger(other)
        try test.endings(("r-4", "rejected"))
        #expect(try test.index.waitingReplays(endedSince: Letters.start)["payments"] == Letters.start)
        #expect(try test.index.waitingReplays(endedSince: Letters.start + 1)["payments"] == nil)
    }

    // Two processes on one file.

    @Test func whoIsOvertakenWritesNothing() throws {
        let test = try IndexUnderTest()
        let stand = try test.stand("orders.dead-letter", 0)
        let letters = (0..<5).map { Self.letter($0) }
        let (first, second) = (
            try test.begin(letters, at: stand), try test.begin(Array(letters.prefix(3)), at: stand)
        )
        try first.finish()
        #expect(throws: Overtaken.self) { try second.finish() }
        #expect(try test.letters().count == 5)
        #expect(try test.buckets() == test.recount())
    }

    @Test func aLedgerIsReadOnceByTwo() throws {
        let test = try IndexUnderTest()
        let stand = try test.stand("ledger", 0)
        try test.index.write([LedgerNews.entry(.replayed(Self.id(0), "r-1"))], [stand.id: 0...1])
        #expect(throws: Overtaken.self) {
            try test.index.write([LedgerNews.entry(.discarded(Self.id(0)))], [stand.id: 0...1])
        }
        #expect(try test.index.ledgerStanding(of: Self.id(0))?.state == .replayed)
    }

    // Records that the broker deletes.

    @Test func prunesWhatTheBrokerHasDeleted() throws {
        let test = try IndexUnderTest()
        try test.take((0..<10).map { Self.letter($0) })
        try test.take((0..<10).map { IndexUnderTest.letter($0, partition: 1) })
        try test.index.prune(try test.stand("orders.dead-letter", 0), before: 4)
        #expect(try test.letters().map(\.position.offset).filter { $0 < 4 }.count == 4)
        #expect(try test.groups().map(\.count) == [16])
        #expect(try test.buckets() == test.recount())
        #expect(try test.stand("orders.dead-letter", 0).next == 10)
    }

    @Test func forgetsATopicThatWasMadeAnew() throws {
        let test = try IndexUnderTest()
        try test.take((0..<10).map { Self.letter($0) })
        try test.take((0..<10).map { IndexUnderTest.letter($0, partition: 1) })
        try test.index.forget(try test.stand("orders.dead-letter", 0), restartingAt: 3)
        #expect(try test.letters().count == 10)
        #expect(try test.stand("orders.dead-letter", 0).next == 3)
        #expect(try test.stand("orders.dead-letter", 1).next == 10)
        #expect(try test.buckets() == test.recount())
    }

    // Ids that somebody types.

    @Test func anIDsBeginningNamesIt() throws {
        let test = try IndexUnderTest()
        try test.take((0..<20).map { Self.letter($0) })
        let ids = try test.letters().map(\.id)
        for (id, digits) in zip(ids + ids, 4...32) {
            let text = "\(id)".prefix(3 + digits)
            let others = ids.filter { "\($0)".hasPrefix(text) }
            let found = try test.index.ids(beginningWith: String(text))
            #expect(found.count == min(2, others.count) && found.allSatisfy(others.contains))
            #expect(try test.index.ids(beginningWith: String(text.dropFirst(3))) == found)
        }
    }

    /// As numbers with a sign, those that begin with 8 to f come first, and the halves are apart.
    @Test(arguments: [
        ("7fff", ["7fffffffffffffff"]), ("8000", ["8000000000000000"]), ("ffff", ["ffffffffffffffff"]),
        ("0000", ["0000000000000000"]), ("7ffe", []),
    ])
    func theHighestBitIsADigitLikeAnyOther(digits: String, highs: [String]) throws {
        let test = try IndexUnderTest()
        for high in ["0000000000000000", "7fffffffffffffff", "8000000000000000", "ffffffffffffffff"] {
            for low in ["0000000000000000", "7fffffffffffffff", "8000000000000000", "ffffffffffffffff"] {
                let id = try #require(LetterID("dl-\(high)\(low)"))
                try test.put(id)
            }
        }
        #expect(try test.index.ids(beginningWith: digits).count == (highs.isEmpty ? 0 : 2))
        for high in highs {
            for low in ["7fffffffffffffff", "8000000000000000"] {
                let id = LetterID("dl-\(high)\(low)")
                for count in 17...32 {
                    #expect(
                        try test.index.ids(beginningWith: String((high + low).prefix(count)))
                            == [id].compactMap { $0 }
                    )
                }
            }
        }
    }

    @Test(arguments: [
        "", "dl-", "dl-123", "123", "12g4", "1234 ", "ABCD", "%", String(repeating: "0", count: 33),
    ])
    func whatIsNoBeginningOfAnIDNamesNothing(text: String) throws {
        let test = try IndexUnderTest()
        try test.take([Self.letter(0)])
        #expect(try test.index.ids(beginningWith: text).isEmpty)
    }
}

extension IndexUnderTest {
    /// A letter with an id that no digest has to be found for.
    func put(_ id: LetterID) throws {
        try self.index.pool.write { database in
            try database.execute(
                sql: """
                    INSERT INTO letters(grp, high, low, at, replays, state) VALUES (1, ?, ?, 0, 0, 0)
                    """,
                arguments: [id.high, id.low]
            )
        }
    }
}

/// The file may be deleted, damaged, or another's: it is a copy of what is in Kafka.
@Suite struct IndexFileTests {
    private static let mark = KeyedMark(salt: "salt")

    private func reopened(_ test: IndexUnderTest, salt: String = "salt", isOwnPlace: Bool = true) throws
        -> Int
    {
        let mark = KeyedMark(salt: salt)
        let index = try LetterIndex(path: test.path, mark: mark, isOwnPlace: isOwnPlace)
        return try index.count(LetterFilter(), mark: mark)
    }

    private func filled() throws -> IndexUnderTest {
        let test = try IndexUnderTest()
        try test.take((0..<100).map { IndexUnderTest.letter($0) })
        return test
    }

    @Test func anIndexThatCannotBeWrittenNamesTheSetting() {
        let error = #expect(throws: NSError.self) {
            try IndexFile.prepare("/proc/none/index.sqlite", remedy: IndexFile.remedy)
        }
        #expect(error?.localizedRecoverySuggestion == IndexFile.remedy)
        #expect(error?.userInfo[NSFilePathErrorKey] != nil)
    }

    @Test(arguments: [true, false])
    func isThereWhenItIsOpenedAgain(isOwnPlace: Bool) throws {
        #expect(try self.reopened(try self.filled(), isOwnPlace: isOwnPlace) == 100)
    }

    /// No process has the index open, and the files that stood beside it are gone.
    @Test(arguments: [true, false])
    func isThereWhenItWasClosed(isOwnPlace: Bool) throws {
        let test = try self.filled()
        _ = try test.index.pool.writeWithoutTransaction { try $0.checkpoint(.truncate) }
        try test.index.pool.close()
        for suffix in ["-wal", "-shm"] { try FileManager.default.removeItem(atPath: test.path + suffix) }
        #expect(try self.reopened(test, isOwnPlace: isOwnPlace) == 100)
    }

    /// Two processes that come at once make one index.
    @Test(arguments: 1...5)
    func manyMayMakeItAtOnce(round: Int) async throws {
        let folder = try TemporaryFolder()
        let path = IndexUnderTest.path(in: folder)
        let opened = try await withThrowingTaskGroup(of: LetterIndex.self) { tasks in
            for _ in 0..<4 {
                tasks.addTask(executorPreference: OwnThread()) {
                    try LetterIndex(path: path, mark: Self.mark, isOwnPlace: false)
                }
            }
            return try await tasks.reduce(into: []) { $0.append($1) }
        }
        let stand = try #require(
            try opened[0].stands(of: [TopicPartition(topic: "a", partition: 0): 7]).values.first
        )
        for index in opened {
            #expect(
                try index.knownStands(of: [TopicPartition(topic: "a", partition: 0)]).values.first == stand
            )
        }
    }

    @Test(arguments: [true, false])
    func isMadeAnewWithAnotherSalt(isOwnPlace: Bool) throws {
        #expect(try self.reopened(try self.filled(), salt: "other", isOwnPlace: isOwnPlace) == 0)
    }

    @Test(arguments: [0x464C_0000, 0x464C_0001, 0x464C_FFFF], [true, false])
    func isMadeAnewInAnotherVersion(version: Int, isOwnPlace: Bool) throws {
        let test = try self.filled()
        try test.index.pool.write { try $0.execute(sql: "PRAGMA user_version = \(version)") }
        #expect(try self.reopened(test, isOwnPlace: isOwnPlace) == 0)
    }

    /// Files that are no index, in the place of one.
    private static func others() throws -> [TemporaryFolder] {
        let (text, database) = (try TemporaryFolder(), try TemporaryFolder())
        let words =
            "no database at all, and longer than the header of one is, which has a hundred bytes: \(Self.self)"
        _ = try text.write(Array(words.utf8), to: "index.sqlite")
        let queue = try DatabaseQueue(path: IndexUnderTest.path(in: database))
        try queue.write { try $0.execute(sql: "CREATE TABLE letters(mine TEXT)") }
        try queue.close()
        return [text, database]
    }

    @Test(arguments: 0...1)
    func whatIsNoIndexGivesWayOnlyWhereIndexesAreKept(other: Int) throws {
        let folder = try Self.others()[other]
        let path = IndexUnderTest.path(in: folder)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(throws: LetterIndex.NotAnIndex.self) {
            try LetterIndex(path: path, mark: Self.mark, isOwnPlace: false)
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes)
        let index = try LetterIndex(path: path, mark: Self.mark)
        #expect(try index.count(LetterFilter(), mark: Self.mark) == 0)
    }

    @Test(arguments: [true, false])
    func anEmptyFileBecomesOne(isOwnPlace: Bool) throws {
        let folder = try TemporaryFolder()
        let file = try folder.write([], to: "index.sqlite")
        let index = try LetterIndex(path: file.path, mark: Self.mark, isOwnPlace: isOwnPlace)
        #expect(try index.count(LetterFilter(), mark: Self.mark) == 0)
    }

    /// Half of it is gone, and nobody notices until somebody reads that half.
    @Test func isDeletedWhereItTurnsOutDamaged() throws {
        let test = try IndexUnderTest()
        try test.take((0..<5_000).map { IndexUnderTest.letter($0) })
        _ = try test.index.pool.writeWithoutTransaction { try $0.checkpoint(.truncate) }
        try test.index.pool.close()
        let bytes = try Data(contentsOf: URL(fileURLWithPath: test.path))
        try #require(bytes.count > 200_000)
        let damage = Data(repeating: 0xA5, count: bytes.count - 120_000)
        try (bytes.prefix(120_000) + damage).write(to: URL(fileURLWithPath: test.path))
        let index = try LetterIndex(path: test.path, mark: Self.mark)
        #expect(throws: LetterIndex.Damaged.self) {
            try index.deletedIfDamaged {
                try index.letters(LetterFilter(), mark: Self.mark, limit: 10_000).count
            }
        }
        #expect(try self.reopened(test) == 0)
    }

    @Test func nobodyElseCanReadIt() throws {
        let test = try self.filled()
        for suffix in ["", "-wal", "-shm"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: test.path + suffix)
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600, "\(suffix)")
        }
    }

    /// A cluster names itself.
    @Test(arguments: [
        ("MkU3OEVBNTcwNTJENDM2Qk", "dead-letters-MkU3OEVBNTcwNTJENDM2Qk"), ("", "dead-letters-cluster"),
        ("../../etc/passwd", "dead-letters-......etc.passwd"), ("a/\u{0}b", "dead-letters-a..b"),
        (String(repeating: "x", count: 1_000), "dead-letters-" + String(repeating: "x", count: 64)),
    ])
    func aClustersNameIsNoPath(clusterID: String, name: String) {
        let environment = ["XDG_CACHE_HOME": "/cache"]
        let path = IndexFile.standardPath(clusterID: clusterID, environment: environment)
        #expect(path == "/cache/flotilla/\(name).sqlite")
    }

    /// Keys and the salt are nowhere in it, only keys' marks.
    @Test func holdsNoKey() throws {
        let test = try IndexUnderTest()
        var letter = IndexUnderTest.letter(0)
        letter.key = Array("a-device-of-somebody".utf8)
        try test.take([letter])
        for suffix in ["", "-wal"] {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: test.path + suffix))
            #expect(bytes.range(of: Data("a-device-of-somebody".utf8)) == nil)
            #expect(suffix == "" || bytes.range(of: Data("orders.dead-letter".utf8)) != nil)
        }
    }
}
