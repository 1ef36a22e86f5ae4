import TestMaterial
import Testing

@testable import DeadLetters

/// Every filter against a list of letters that is gone through one by one.
@Suite struct LetterFilterTests {
    private static let topics = ["orders.dead-letter", "payments.dead-letter"]
    private static let workers = ["activation-worker", "", "wörker"]
    private static let kinds = ["rejected", "exhausted", "unknown"]
    private static let reasons = [
        "gdt.-2", "gdt.-12", "gdt", "gdt*", "gdt?", "[gdt]", "value.not_json", "unknown", "%", "gdt_",
    ]
    private static let keys: [[UInt8]?] = [nil, [], [0, 1, 0xFF], Array("key".utf8), Array("KEY".utf8)]

    private struct World {
        let test: IndexUnderTest
        var letters: [IndexUnderTest.Letter] = []
        /// Known once for all: digests take their time.
        var ids: [LetterPosition: LetterID] = [:]
        var marks: [LetterGroup: String] = [:]
        var states: [LetterID: LetterState] = [:]

        init(seed: UInt64) throws {
            self.test = try IndexUnderTest()
            var dice = SeededGenerator(seed: seed)
            for topic in LetterFilterTests.topics {
                for partition in Int32(0)..<3 {
                    var offset = Int64(dice.number(0...100))
                    let letters = (0..<dice.number(30...60)).map { _ in
                        offset += Int64(dice.number(1...3))
                        return Self.letter(topic, partition, offset, &dice)
                    }
                    try self.test.take(letters)
                    self.letters += letters
                }
            }
            for letter in self.letters {
                self.ids[letter.position] = letter.id
                self.marks[letter.group] = letter.group.mark
            }
            for letter in self.letters where dice.chance(0.3) {
                let isDiscarded = dice.chance(0.5)
                try self.test.ledger(
                    isDiscarded
                        ? .discarded(letter.id) : .replayed(letter.id, "r-\(letter.position)")
                )
                self.states[letter.id] = isDiscarded ? .discarded : .replayed
            }
        }

        private static func letter(
            _ topic: String,
            _ partition: Int32,
            _ offset: Int64,
            _ dice: inout SeededGenerator
        ) -> IndexUnderTest.Letter {
            IndexUnderTest.Letter(
                position: LetterPosition(topic: topic, partition: partition, offset: offset),
                source: dice.chance(0.5) ? Int64(dice.number(0...200)) : nil,
                group: LetterGroup(
                    topic: topic,
                    worker: dice.one(of: LetterFilterTests.workers),
                    kind: dice.one(of: LetterFilterTests.kinds),
                    reason: dice.one(of: LetterFilterTests.reasons),
                    dialect: "flotilla"
                ),
                at: Letters.start + Int64(dice.number(-200_000_000...200_000_000)),
                key: dice.one(of: LetterFilterTests.keys)
            )
        }

        func id(_ letter: IndexUnderTest.Letter) -> LetterID? { self.ids[letter.position] }

        func mark(_ group: LetterGroup) -> String { self.marks[group] ?? "" }

        func state(_ letter: IndexUnderTest.Letter) -> LetterState {
            self.id(letter).flatMap { self.states[$0] } ?? .open
        }

        func filter(_ dice: inout SeededGenerator) -> LetterFilter {
            var filter = LetterFilter()
            if dice.chance(0.3) { filter.topics = [dice.one(of: LetterFilterTests.topics)] }
            if dice.chance(0.2) { filter.workers = [dice.one(of: LetterFilterTests.workers + ["none"])] }
            if dice.chance(0.2) { filter.classes = ["exhausted", dice.one(of: LetterFilterTests.kinds)] }
            if dice.chance(0.3) {
                filter.reasons = [
                    dice.one(
                        of: LetterFilterTests.reasons + ["gdt.*", "*", "gdt?*", "[g*", "", "%*", "gdt.-?"]
                    )
                ]
            }
            if dice.chance(0.2) { filter.groups = (0..<3).map { _ in dice.one(of: self.letters).group.mark } }
            if dice.chance(0.2) { filter.ids = (0..<40).map { _ in dice.one(of: self.letters).id } }
            if dice.chance(0.2) {
                filter.positions =
                    (0..<40).map { _ in dice.one(of: self.letters).position }
                    + [LetterPosition(topic: "none", partition: 0, offset: 0)]
            }
            if dice.chance(0.2) { filter.states = [.open, dice.one(of: LetterState.allCases)] }
            if dice.chance(0.3) { filter.since = dice.one(of: self.letters).at }
            if dice.chance(0.3) { filter.until = dice.one(of: self.letters).at }
            if dice.chance(0.2) { filter.key = dice.one(of: LetterFilterTests.keys) }
            return filter
        }

        /// Whether the filter leaves the letter, by the words that describe its fields.
        func leaves(_ filter: LetterFilter, _ letter: IndexUnderTest.Letter) -> Bool {
            func among<Value: Equatable>(_ values: [Value], _ value: Value) -> Bool {
                values.isEmpty || values.contains(value)
            }
            let isNamed =
                filter.ids.isEmpty && filter.positions.isEmpty
                || self.id(letter).map(filter.ids.contains) == true
                || filter.positions.contains(letter.position)
            let hasReason =
                filter.reasons.isEmpty
                || filter.reasons.contains { reason in
                    reason.last == "*"
                        ? letter.group.reason.hasPrefix(reason.dropLast()) : letter.group.reason == reason
                }
            return among(filter.topics, letter.group.topic) && among(filter.workers, letter.group.worker)
                && among(filter.classes, letter.group.kind) && hasReason
                && among(filter.groups, self.mark(letter.group)) && isNamed
                && among(filter.states, self.state(letter))
                && letter.at >= filter.since ?? .min && letter.at < filter.until ?? .max
                && (filter.key == nil || filter.key == letter.key)
        }
    }

    @Test(arguments: UInt64(1)...3)
    func leavesWhatItSays(seed: UInt64) throws {
        let world = try World(seed: seed)
        var dice = SeededGenerator(seed: seed ^ 0xFF)
        var leftSome = 0
        for round in 0..<80 {
            let filter = world.filter(&dice)
            let left = world.letters.filter { world.leaves(filter, $0) }
            leftSome += left.isEmpty ? 0 : 1
            let found = try world.test.letters(filter)
            #expect(
                Set(found.map(\.position)) == Set(left.map(\.position)),
                "seed \(seed), \(round): \(filter)"
            )
            #expect(found.count == left.count)
            #expect(found.map(\.at) == left.map(\.at).sorted())
            #expect(try world.test.index.count(filter, mark: world.test.mark) == left.count)
            self.check(try world.test.groups(filter), world, left)
        }
        #expect(leftSome > 30)
    }

    private func check(_ groups: [GroupView], _ world: World, _ left: [IndexUnderTest.Letter]) {
        let expected = Dictionary(grouping: left, by: \.group)
        #expect(groups.count == expected.count && groups.map(\.count) == groups.map(\.count).sorted(by: >))
        for view in groups {
            let letters = expected[view.group] ?? []
            #expect(view.count == letters.count && view.mark == world.mark(view.group))
            #expect(view.open == letters.count { world.state($0) == .open })
            #expect(view.first == letters.map(\.at).min() && view.last == letters.map(\.at).max())
            #expect(abs(view.share - Double(letters.count) / Double(left.count)) < 1e-9)
        }
    }

    /// More than SQLite takes arguments, or terms of an expression.
    @Test func manyLettersCanBeNamed() throws {
        let test = try IndexUnderTest()
        let letters = (0..<300).map { IndexUnderTest.letter($0, source: $0) }
        try test.take(letters)
        var filter = LetterFilter()
        filter.ids = letters.prefix(200).map(\.id) + (0..<40_000).map { LetterID(high: 7, low: $0) }
        #expect(try test.letters(filter).count == 200)
        filter.positions = (0..<40_000).map {
            LetterPosition(topic: "orders.dead-letter", partition: Int32($0 % 2), offset: Int64(200 + $0))
        }
        #expect(try test.letters(filter).count == 250)
        #expect(try test.index.positions(filter, mark: test.mark, limit: 1_000).count == 250)
        #expect(try test.index.positions(filter, mark: test.mark, limit: 10).count == 10)
        filter.ids = []
        filter.positions = [
            LetterPosition(topic: "orders.dead-letter", partition: 0, offset: -1),
            LetterPosition(topic: "orders.dead-letter", partition: 0, offset: 1 << 44),
            LetterPosition(topic: "none", partition: 0, offset: 0),
        ]
        #expect(try test.letters(filter).isEmpty)
    }

    @Test func theNewestComeFirstWhereThatIsAskedFor() throws {
        let world = try World(seed: 9)
        let all = try world.test.letters().map(\.position)
        let newest = try world.test.index.letters(
            LetterFilter(),
            mark: world.test.mark,
            by: .newest,
            limit: 1_000
        )
        #expect(newest.map(\.position) == all.reversed() && all.count > 100)
        let page = try world.test.index.letters(LetterFilter(), mark: world.test.mark, limit: 7, offset: 50)
        #expect(page.map(\.position) == Array(all[50..<57]))
    }

    @Test func aGroupsLastDayIsCountedByTheHour() throws {
        let test = try IndexUnderTest()
        let hours: [Int64] = [-24, -23, -23, -1, 0, 0, 0, 1]
        try test.take(
            hours.enumerated().map { index, hour in
                var letter = IndexUnderTest.letter(Int64(index))
                letter.at = Letters.start + hour * 3_600_000 + 1
                return letter
            }
        )
        let group = try #require(try test.groups(now: Letters.start + 2_000).first)
        #expect(group.lastDay == [2] + [Int](repeating: 0, count: 21) + [1, 3] && group.count == 8)
    }

    @Test func onlySoManyGroupsComeBackAndAllAreCounted() throws {
        let test = try IndexUnderTest()
        try test.take((0..<30).map { IndexUnderTest.letter($0, reason: "r-\($0 % 10)") })
        let page = try test.index.groups(
            LetterFilter(),
            mark: test.mark,
            now: 0,
            limit: 3
        )
        #expect(page.groups.count == 3 && page.total == 10 && page.letters == 30)
    }

    /// Three letters of one group and two of another, of which one more is open.
    @Test func thePageBeginsWithMostLettersOrMostOpenOnes() throws {
        let test = try IndexUnderTest()
        let letters = (0..<5).map { IndexUnderTest.letter($0, reason: $0 < 3 ? "large" : "open") }
        try test.take(letters)
        for letter in letters.prefix(2) { try test.ledger(.discarded(letter.id)) }
        func reasons(_ order: GroupOrder, offset: Int = 0) throws -> [String] {
            let page = try test.index.groups(
                LetterFilter(),
                mark: test.mark,
                now: 0,
                by: order,
                offset: offset
            )
            #expect(page.total == 2 && page.letters == 5 && page.open == 3)
            return page.groups.map(\.group.reason)
        }
        #expect(try reasons(.size) == ["large", "open"] && reasons(.open) == ["open", "large"])
        #expect(try reasons(.size, offset: 1) == ["open"] && reasons(.open, offset: 2).isEmpty)
    }

    @Test(
        arguments: [
            ("tenant", "tenant", nil), ("tenant=cn", "tenant", "cn"), ("a=b=c", "a", "b=c"), ("a=", "a", ""),
            ("", "", nil), ("=x", "", "x"),
        ] as [(String, String, String?)]
    )
    func aHeaderIsNamedWithOrWithoutAValue(text: String, name: String, value: String?) {
        let condition = LetterFilter.HeaderCondition(text)
        #expect(condition.name == name && condition.value == value)
    }
}
