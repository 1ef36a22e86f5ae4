import Testing

@testable import DeadLetterTool
@testable import DeadLetters

/// The text that a person at a terminal reads before a replay.
@Suite struct PlanTests {
    private static func item(_ low: Int64, _ standing: LedgerStanding?) -> ReplayPlan.Item {
        let letter = LetterView(
            id: LetterID(high: 0, low: low),
            position: LetterPosition(topic: "orders.dead-letter", partition: 0, offset: low),
            group: LetterGroup(
                topic: "orders.dead-letter",
                worker: "w",
                kind: "rejected",
                reason: "r",
                dialect: "flotilla"
            ),
            mark: "g-0123456789",
            state: standing?.state ?? .open,
            at: 0,
            replays: 0
        )
        return ReplayPlan.Item(
            letter: letter,
            target: "orders",
            replays: (standing?.replays ?? 0) + 1,
            standing: standing
        )
    }

    private static func standing(_ state: LetterState) -> LedgerStanding {
        LedgerStanding(
            state: state,
            replays: 1,
            by: "anna",
            at: 0,
            because: "",
            hasSucceeded: state == .succeeded
        )
    }

    @Test func aSecondSuccessIsSaidAndCounted() {
        var plan = ReplayPlan()
        plan.items = [Self.item(1, Self.standing(.succeeded)), Self.item(2, nil)]
        plan.items.append(Self.item(3, Self.standing(.replayed)))
        let lines = ReplayPlanPage(plan, now: 0).lines
        #expect(
            lines.contains { $0.hasSuffix("1 → orders, replay 2 of its life, succeeded before") },
            "\(lines)"
        )
        #expect(lines.contains { $0.hasSuffix("2 → orders, replay 1 of its life") }, "\(lines)")
        #expect(lines.contains { $0.hasPrefix("1 letter replayed before with success:") }, "\(lines)")
        #expect(lines.contains { $0.hasPrefix("1 letter replayed before without an outcome") }, "\(lines)")
        let form = ReplayPlanForm(plan)
        #expect(form.succeededBefore == 1 && form.withoutOutcome == 1)
    }

    @Test func onlyWhatIsSentAsItWasWillDieAgain() {
        var plan = ReplayPlan()
        var item = Self.item(1, nil)
        item.letter.replayable = "after_fix"
        plan.items = [item]
        let isSaid = [false, true].map { isEdited in
            ReplayPlanPage(plan, now: 0, isEdited: isEdited).lines.contains { $0.contains("will die again") }
        }
        #expect(isSaid == [true, false])
    }

    @Test func aRefusalNamesTheWordThatItYieldsTo() {
        var plan = ReplayPlan()
        let letter = Self.item(1, nil).letter
        plan.refusals = [(letter, .alreadySucceeded), (letter, .discarded), (letter, .gone)]
        let lines = ReplayPlanPage(plan, now: 0).refusals
        #expect(lines.contains("Not 1 letter: has been replayed before and has succeeded (--again)."))
        #expect(lines.contains("Not 1 letter: has been discarded (--force)."))
        #expect(lines.contains("Not 1 letter: is gone from its topic, or its value is."))
    }
}
