import Testing

@testable import Fleet

/// The life of a record, from a list of events.
struct RecordLifeTests {
    private static let input = RecordPlace(topic: "activation", partition: 1, offset: 7)
    private static let replay = RecordPlace(topic: "activation", partition: 1, offset: 30)
    private static let letter = "dl-a30105a615f80a14c263230c093106e3"

    private static func event(
        _ kind: LifeEvent.Kind,
        at: Int64?,
        of subject: RecordPlace? = Self.input,
        in topic: String = "activation",
        letter: String? = nil,
        origin: RecordPlace? = nil
    ) -> LifeEvent {
        LifeEvent(
            kind: kind,
            place: RecordPlace(topic: topic, partition: 1, offset: subject?.offset ?? 0),
            subject: subject,
            origin: origin,
            letter: letter,
            keyMark: "#b627f1640c29",
            at: at
        )
    }

    private static let published = Self.event(.published, at: 1_000)
    private static let retried = Self.event(.retried(reason: "http.503", attempts: 1, due: 61_000), at: 2_000)
    private static let dead: [LifeEvent] = [
        Self.published,
        Self.event(
            .letter(kind: "rejected", reason: "gdt.-1", replayable: "yes"),
            at: 3_000,
            letter: Self.letter
        ),
        Self.event(
            .outcome(fate: "dead_lettered", reason: "gdt.-1", attempts: 2),
            at: 3_000,
            letter: Self.letter
        ),
    ]

    private static func state(_ events: [LifeEvent]) throws -> RecordLife.State {
        let lives = RecordLife.lives(of: events)
        #expect(lives.count == 1)
        return try #require(lives.first).state
    }

    @Test func aRecordThatIsOnlyPublishedIsOpen() throws {
        #expect(try Self.state([Self.published]) == .open)
    }

    @Test func aRecordWaitsForItsRetry() throws {
        #expect(try Self.state([Self.retried, Self.published]) == .retrying(reason: "http.503", due: 61_000))
    }

    @Test func aParkedRecordComesBack() throws {
        let parked = Self.event(.parked(room: "lane:112233"), at: 2_000)
        let back = Self.event(.unparked, at: 4_000)
        #expect(try Self.state([Self.published, parked]) == .parked(room: "lane:112233"))
        #expect(try Self.state([Self.published, parked, back]) == .open)
    }

    /// A copy in a retry topic stays there after the record has ended.
    @Test func anOutcomeIsTheEnd() throws {
        let outcome = Self.event(.outcome(fate: "succeeded", reason: nil, attempts: 2), at: 9_000)
        #expect(
            try Self.state([outcome, Self.retried, Self.published]) == .ended(fate: "succeeded", reason: nil)
        )
    }

    /// A worker that dies between the two writes the outcome at its next start.
    @Test func aLetterWithoutAnOutcomeIsNoEnd() throws {
        #expect(try Self.state(Array(Self.dead.prefix(2))) == .beingDeadLettered(letter: Self.letter))
    }

    @Test func aDeadLetterIsTheEndUntilItIsDiscarded() throws {
        #expect(try Self.state(Self.dead) == .deadLettered(letter: Self.letter, reason: "gdt.-1"))
        let discarded = Self.event(.discarded(by: "ana"), at: 5_000, of: nil, letter: Self.letter)
        #expect(try Self.state(Self.dead + [discarded]) == .discarded(letter: Self.letter, by: "ana"))
    }

    /// A replay keeps the timestamp of its record, so it once stood before the letter that it repeats.
    @Test func aReplayBelongsToTheLifeOfItsRecord() throws {
        let ordered = Self.event(.ordered(by: "ana"), at: 5_000, of: nil, letter: Self.letter)
        let again = Self.event(.replayed(of: Self.letter), at: 1_000, of: Self.replay)
        let outcome = Self.event(
            .outcome(fate: "succeeded", reason: nil, attempts: 1),
            at: 6_000,
            of: Self.replay
        )
        let life = try #require(RecordLife.lives(of: [outcome, again, ordered] + Self.dead).first)
        #expect(life.id == Self.input)
        #expect(life.keyMark == "#b627f1640c29")
        #expect(life.events.map(\.at) == [1_000, 3_000, 3_000, 5_000, 5_000, 6_000])
        #expect(life.events.map(\.rank) == [0, 4, 5, 7, 8, 5])
        #expect(life.state == .ended(fate: "succeeded", reason: nil))
        // Without the ledger the replay stands behind its letter too.
        let short = try #require(RecordLife.lives(of: [outcome, again] + Self.dead).first)
        #expect(short.events.map(\.rank) == [0, 4, 5, 8, 5])
    }

    @Test func recordsOfOneKeyHaveLivesOfTheirOwn() {
        let other = Self.event(.published, at: 500, of: Self.replay)
        #expect(RecordLife.lives(of: [Self.published, other]).map(\.id) == [Self.replay, Self.input])
    }

    /// The activation worker behind an intake names the publisher's record in `flotilla.origin`.
    @Test func whatTheIntakePassesOnBelongsToThePublishersRecord() throws {
        let due = RecordPlace(topic: "activation.due", partition: 0, offset: 3)
        let passed = Self.event(.published, at: 2_000, of: due, in: "activation.due", origin: Self.input)
        let outcome = Self.event(
            .outcome(fate: "succeeded", reason: nil, attempts: 1),
            at: 3_000,
            of: due,
            origin: Self.input
        )
        let life = try #require(RecordLife.lives(of: [outcome, passed, Self.published]).first)
        #expect(life.id == Self.input)
        #expect(life.state == .ended(fate: "succeeded", reason: nil))
    }

    /// Headers are claims: two records that name each other as their letter must not hang the command.
    @Test func aCircleOfReplaysHasAnEnd() {
        let events = [
            Self.event(.replayed(of: "dl-b"), at: 1, of: Self.input, letter: "dl-a"),
            Self.event(.replayed(of: "dl-a"), at: 2, of: Self.replay, letter: "dl-b"),
        ]
        #expect(RecordLife.lives(of: events).count <= 2)
    }

    @Test func tellsALifeInLines() throws {
        let life = try #require(RecordLife.lives(of: Self.dead).first)
        let expected = [
            "activation/1/7, key #b627f1640c29", "  1970-01-01T00:00:01.000Z  activation/1/7  published",
            "  1970-01-01T00:00:03.000Z  activation/1/7  dead letter \(Self.letter): rejected, gdt.-1, replayable: yes",
            "  1970-01-01T00:00:03.000Z  activation/1/7  outcome: dead_lettered (gdt.-1) after 2 calls",
            "It ended as a dead letter because of gdt.-1: 'dead-letters show \(Self.letter)' explains it.",
        ]
        #expect(LifeText.lines(life, now: 0) == expected)
        #expect(LifeText.json(life, now: 0).contains(#""state":"dead_lettered""#))
    }

    @Test func saysWhetherARetryIsLate() {
        let state = RecordLife.State.retrying(reason: "http.503", due: 61_000)
        #expect(LifeText.ending(state, now: 0).contains("is due 1970-01-01T00:01:01.000Z"))
        #expect(LifeText.ending(state, now: 99_000).contains("fleet status"))
    }

    /// A reason and a name come from headers that anybody can write.
    @Test func showsNoEscapeSequences() throws {
        let events = [Self.event(.letter(kind: "\u{1B}[2J", reason: "a\nb", replayable: "\u{7}"), at: 1)]
        let lines = LifeText.lines(try #require(RecordLife.lives(of: events).first), now: 0)
        #expect(!lines.joined().contains { "\u{1B}\n\u{7}".contains($0) })
    }
}
