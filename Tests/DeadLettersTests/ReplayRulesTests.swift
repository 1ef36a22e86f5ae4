import Testing

@testable import DeadLetters

@Suite struct ReplayRulesTests {
    private static let topics: Set<String> = [
        "orders", "payments", "orders.dead-letter", "dead-letters.ledger", "dead-letters.audit",
        "_schemas", "__consumer_offsets",
    ]

    private static func rules(
        allowed: [String] = [],
        _ change: (inout ReplayOptions) -> Void = { _ in }
    ) -> ReplayRules {
        var options = ReplayOptions()
        change(&options)
        return ReplayRules(
            options: options,
            topics: Self.topics,
            allowed: allowed.map(NamePattern.init),
            own: ["orders.dead-letter", "dead-letters.ledger", "dead-letters.audit"]
        )
    }

    private static func standing(
        _ state: LetterState,
        replays: Int = 1,
        hasSucceeded: Bool? = nil
    ) -> LedgerStanding {
        LedgerStanding(
            state: state,
            replays: replays,
            by: "anna",
            at: 0,
            because: "",
            hasSucceeded: hasSucceeded ?? (state == .succeeded)
        )
    }

    private static func refusal(
        of letter: LetterView,
        _ standing: LedgerStanding? = nil,
        by rules: ReplayRules = Self.rules()
    ) -> ReplayPlan.Refusal? {
        guard case .failure(let error) = rules.judge(letter, standing) else { return nil }
        return error.refusal
    }

    private static func source(_ topic: String) -> LetterPosition {
        LetterPosition(topic: topic, partition: 0, offset: 0)
    }

    @Test func aLetterGoesBackToWhereItCameFrom() throws {
        let item = try Self.rules().judge(Letters.view(replays: 2), nil).get()
        #expect(item.target == "orders" && item.replays == 3)
    }

    @Test func aTargetThatIsNamedCountsForEveryLetter() throws {
        let rules = Self.rules { $0.target = "payments" }
        #expect(try rules.judge(Letters.view(), nil).get().target == "payments")
        #expect(try rules.judge(Letters.view(source: nil), nil).get().target == "payments")
    }

    /// Whether `force` or `again` helps, beside each reason to refuse.
    @Test(
        arguments: [
            (Letters.view(source: nil), nil, .noSource),
            (Letters.view(source: source("gone")), nil, .targetMissing),
            (Letters.view(source: source("orders.dead-letter")), nil, .targetNotAllowed),
            (Letters.view(source: source("dead-letters.ledger")), nil, .targetNotAllowed),
            (Letters.view(source: source("dead-letters.audit")), nil, .targetNotAllowed),
            (Letters.view(source: source("_schemas")), nil, .targetNotAllowed),
            (Letters.view(source: source("__consumer_offsets")), nil, .targetNotAllowed),
            (Letters.view(), standing(.replayed), .alreadyReplayed),
            (Letters.view(), standing(.succeeded), .alreadySucceeded),
            (Letters.view(), standing(.replayed, hasSucceeded: true), .alreadySucceeded),
            (Letters.view(), standing(.discarded, hasSucceeded: true), .alreadySucceeded),
            (Letters.view(), standing(.rejected), .alreadyReplayed),
            (Letters.view(), standing(.deadAgain), .alreadyReplayed),
            (Letters.view(), standing(.discarded), .discarded),
            (Letters.view(replays: 3), nil, .replayedTooOften),
            (Letters.view(replays: 1_000_000), nil, .replayedTooOften),
            (Letters.view(replayable: "no"), nil, .cannotHelp),
        ] as [(LetterView, LedgerStanding?, ReplayPlan.Refusal)]
    )
    func refuses(letter: LetterView, standing: LedgerStanding?, refusal: ReplayPlan.Refusal) {
        #expect(Self.refusal(of: letter, standing) == refusal)
        let forced = Self.refusal(of: letter, standing, by: Self.rules { $0.force = true })
        #expect(forced == (refusal.yieldsTo == .force ? nil : refusal))
        guard standing?.hasSucceeded != true else { return }
        let again = Self.refusal(of: letter, standing, by: Self.rules { $0.again = true })
        #expect(again == refusal)
    }

    /// A second conversion is somebody's money.
    @Test func whatHasSucceededGoesOnlyWithAWordOfItsOwn() throws {
        let rules = Self.rules { $0.again = true }
        let item = try rules.judge(Letters.view(replays: 1), Self.standing(.succeeded, replays: 2)).get()
        #expect(item.hasSucceeded && item.replays == 3)
        // Each of the two words is about its own letters.
        let discarded = Self.standing(.discarded, hasSucceeded: true)
        #expect(Self.refusal(of: Letters.view(), discarded, by: rules) == .discarded)
        let both = Self.rules {
            $0.again = true
            $0.force = true
        }
        #expect(Self.refusal(of: Letters.view(), discarded, by: both) == nil)
        let often = Self.standing(.succeeded, replays: 3)
        #expect(Self.refusal(of: Letters.view(), often, by: rules) == .replayedTooOften)
    }

    @Test(
        arguments: [
            (Letters.view(replays: 2), nil), (Letters.view(replayable: "after_fix"), nil),
            (Letters.view(replayable: nil), nil),
        ] as [(LetterView, LedgerStanding?)]
    )
    func lets(letter: LetterView, standing: LedgerStanding?) {
        #expect(Self.refusal(of: letter, standing) == nil)
    }

    @Test func whatCannotBeHelpedCanBeMended() {
        let mending = Self.rules { $0.edit = .value([]) }
        #expect(Self.refusal(of: Letters.view(replayable: "no"), by: mending) == nil)
        #expect(Self.refusal(of: Letters.view(), Self.standing(.replayed), by: mending) == .alreadyReplayed)
    }

    @Test func aListOfTargetsLeavesNoOther() {
        #expect(Self.refusal(of: Letters.view(), by: Self.rules(allowed: ["pay*"])) == .targetNotAllowed)
        #expect(Self.refusal(of: Letters.view(), by: Self.rules(allowed: ["pay*", "ord*"])) == nil)
        let named = Self.rules(allowed: ["pay*"]) { $0.target = "orders" }
        #expect(Self.refusal(of: Letters.view(), by: named) == .targetNotAllowed)
        let listed = Self.rules(allowed: ["_sch*"]) { $0.target = "_schemas" }
        #expect(Self.refusal(of: Letters.view(), by: listed) == nil)
        // The tool's own are no target even of a list that names them.
        let own = Self.rules(allowed: ["*"]) { $0.target = "dead-letters.ledger" }
        #expect(Self.refusal(of: Letters.view(), by: own) == .targetNotAllowed)
    }

    @Test func theLoopGuardIsAsLooseAsItIsSet() {
        #expect(Self.refusal(of: Letters.view(replays: 3), by: Self.rules { $0.replayLimit = 4 }) == nil)
        let none = Self.rules { $0.replayLimit = 0 }
        #expect(Self.refusal(of: Letters.view(replays: 0), by: none) == .replayedTooOften)
    }

    @Test func everyRefusalHasASentenceOfItsOwn() {
        let sentences = Set(ReplayPlan.Refusal.allCases.map(\.sentence))
        #expect(sentences.count == ReplayPlan.Refusal.allCases.count && !sentences.contains(""))
    }
}

@Suite struct ReplayPaceTests {
    @Test(
        arguments: [
            (nil, 100), (0, 1), (-1e300, 1), (.nan, 1), (1e-300, 1), (.infinity, 100), (0.5, 1), (1, 1),
            (7.9, 7), (99, 99), (100, 100), (1_000_000, 100),
        ] as [(Double?, Int)]
    )
    func aTransactionHoldsNoMoreThanASecondsWorth(rate: Double?, size: Int) {
        #expect(ReplayPace(rate: rate).chunkSize(atMost: 100) == size)
    }

    @Test func theFirstGoesAtOnceAndTheNextWhenItIsDue() {
        var pace = ReplayPace(rate: 10)
        #expect(pace.isDue())
        pace.sent(50)
        #expect(!pace.isDue() && pace.wait == .milliseconds(200))
    }

    /// A rate that is no rate never means as fast as possible.
    @Test(arguments: [0, -1, -1e300, .nan, 1e-300])
    func whatIsNoRateIsTheSlowest(rate: Double) {
        var pace = ReplayPace(rate: rate)
        pace.sent(100)
        #expect(!pace.isDue() && pace.wait == .milliseconds(200))
    }

    @Test func withoutARateNothingWaits() {
        var pace = ReplayPace(rate: nil)
        pace.sent(1_000_000)
        #expect(pace.isDue() && pace.wait == .zero)
    }
}
