import Cryptography
import Records
import Testing
import UpstreamSimulator
import WireFormats
import WorkerKit

@testable import Harness
@testable import Rehearsal
@testable import Trials

/// A small run in which all is well, and each way in which it can be doctored.
struct ChaosAuditTests {
    private typealias Matter = ChaosFindings.Matter

    /// The facts of a run that an audit will be told.
    private struct Evidence {
        struct Input {
            var kind: InputKind
            var key: Int
            var partition: Int32
            var offset: Int64
            var record: OutboundRecord
        }

        var inputs: [Input] = []
        var undelivered: [Int: String] = [:]
        var calls: [CallJournal.Entry] = []
        var outcomes: [InboundRecord] = []
        var letters: [InboundRecord] = []
        var tickets: [InboundRecord] = []
        var lostEntries = 0
        var move: GroupMove?

        /// Two keys in a partition each, with one input of every kind under both. A record whose answers are never final
        /// has a key of its own.
        init() {
            var make = Activations(topic: "work", now: 1_763_000_000_000)
            for (index, kind) in InputKind.activations.enumerated() {
                for side in 0...1 {
                    let isFinal = !kind.isCalledFor || Self.lastWord(of: kind) != nil
                    let key = isFinal ? side : 2 * (index + 1) + side
                    var record = kind.record(&make)
                    record.key = kind.key(key)
                    let place = (Int32(side), Int64(index))
                    self.inputs.append(
                        Input(kind: kind, key: key, partition: place.0, offset: place.1, record: record)
                    )
                    self.addCalls(self.inputs.count, kind)
                    self.addOutcome(of: self.inputs.count)
                    if kind.fate == .deadLettered { self.addLetter(of: self.inputs.count) }
                }
            }
        }

        private mutating func addCalls(_ number: Int, _ kind: InputKind) {
            guard kind.isCalledFor else { return }
            self.calls.append(.init(clickID: "chaos-\(number)", isCall: true))
            self.calls.append(.init(clickID: "chaos-\(number)", isCall: false, ret: Self.lastWord(of: kind)))
        }

        static func lastWord(of kind: InputKind) -> Int? { (-99...0).first(where: kind.isFinal) }

        mutating func addOutcome(
            of number: Int,
            fate: Outcome.Fate? = nil,
            reason: String? = nil,
            letter: String? = nil
        ) {
            self.outcomes.append(self.outcome(of: number, fate: fate, reason: reason, letter: letter))
        }

        func outcome(of number: Int, fate: Outcome.Fate? = nil, reason: String? = nil, letter: String? = nil)
            -> InboundRecord
        {
            let input = self.inputs[number - 1]
            let code = reason ?? input.kind.reason
            let outcome = Outcome(
                topic: "work",
                partition: input.partition,
                offset: input.offset,
                fate: fate ?? input.kind.fate,
                reason: code.map { Reason($0, "It is so.") },
                attempts: 1,
                deadLetterID: input.kind.fate == .deadLettered ? letter ?? "dl-\(number)" : nil,
                receivedAt: 1_763_000_000_000,
                settledAt: 1_763_000_000_001,
                worker: "activation-worker",
                workerVersion: "0"
            )
            let (key, isLong) = (input.kind.key(input.key), input.kind == .longKey)
            return InboundRecord(
                topic: "work.result",
                partition: input.partition,
                offset: Int64(self.outcomes.count),
                timestamp: nil,
                key: isLong ? nil : key,
                value: ActivationResult.encode(outcome, nil, as: .protobuf),
                headers: isLong ? [RecordHeader(OutboundRecord.keyOmittedHeader, String(key.count))] : []
            )
        }

        mutating func addLetter(of number: Int, reason: String? = nil) {
            let input = self.inputs[number - 1]
            let isLarge = input.kind == .oversized
            let value = input.record.value ?? []
            let pointer = [
                RecordHeader("dlq.value_omitted", "too_large"),
                RecordHeader("dlq.value_bytes", String(value.count)),
                RecordHeader("dlq.value_sha256", Digest.sha256.hexadecimal(value)),
            ]
            let notice = [
                RecordHeader("__dlq.errors.topic", "work"),
                RecordHeader("__dlq.errors.partition", "\(input.partition)"),
                RecordHeader("__dlq.errors.offset", "\(input.offset)"),
                RecordHeader("dlq.id", "dl-\(number)"),
                RecordHeader("dlq.reason", reason ?? input.kind.reason ?? ""),
            ]
            self.letters.append(
                InboundRecord(
                    topic: "work.dead-letter",
                    partition: input.partition,
                    offset: Int64(self.letters.count),
                    timestamp: nil,
                    key: input.record.key,
                    value: isLarge ? nil : input.record.value,
                    headers: input.record.headers + notice + (isLarge ? pointer : [])
                )
            )
        }

        /// The number of the first input of this kind, which stands in partition 0.
        func first(_ kind: InputKind) -> Int {
            (self.inputs.firstIndex { $0.kind == kind } ?? 0) + 1
        }

        /// The index of the dead letter of the first input of this kind.
        func letter(of kind: InputKind) throws -> Int {
            try #require(self.letters.firstIndex { $0.text("dlq.id") == "dl-\(self.first(kind))" })
        }

        func findings(_ delivery: EngineSettings.Delivery = .exactlyOnce) -> ChaosFindings {
            var audit = ChaosAudit(topic: "work", keys: 100, delivery: delivery)
            for (index, input) in self.inputs.enumerated() {
                let number = audit.sent(input.record, input.kind, key: input.key)
                #expect(number == index + 1)
            }
            for (index, input) in self.inputs.enumerated() {
                if let reason = self.undelivered[index + 1] {
                    audit.notDelivered(index + 1, because: reason)
                } else {
                    audit.delivered(index + 1, to: input.partition, at: input.offset)
                }
            }
            if let move { audit.moved(move) }
            for call in self.calls { audit.noted(call) }
            for outcome in self.outcomes { audit.foundOutcome(outcome) }
            for letter in self.letters { audit.foundLetter(letter) }
            for ticket in self.tickets { audit.foundTicket(ticket) }
            audit.journalLost(self.lostEntries)
            audit.conclude()
            return audit.findings
        }

        /// The findings, and how often each was made.
        func matters(_ delivery: EngineSettings.Delivery = .exactlyOnce) -> [Matter: Int] {
            let findings = self.findings(delivery)
            return Dictionary(uniqueKeysWithValues: Matter.allCases.map { ($0, findings.count($0)) })
                .filter { $0.value > 0 }
        }
    }

    @Test func aRunInWhichAllIsWellIsClean() {
        let evidence = Evidence()
        let findings = evidence.findings()
        #expect(evidence.matters() == [:])
        #expect(findings.objections(.exactlyOnce) == [])
        #expect(findings.outcomes == 2 * InputKind.activations.count)
        #expect(findings.letters == 18)
        #expect(findings.calls == 38 && findings.repeatedCalls == 0)
    }

    @Test(arguments: [29_000, 31_000])
    func findsThatHonestUsersWaitTooLong(wait: Int64) {
        let key = ActivationInputs.keys
        #expect(ChaosAdversary.isHonest(key: key) && !ChaosAdversary.isHonest(key: key - 1))
        var make = Activations(topic: "work", now: 1_763_000_000_000)
        var audit = ChaosAudit(topic: "work", keys: ChaosAdversary.keys, delivery: .exactlyOnce)
        for index in 0..<200 {
            var record = InputKind.json.record(&make)
            record.key = ChaosAudit.key(key)
            let number = audit.sent(record, .json, key: key, at: 1_763_000_000_000)
            audit.delivered(number, to: 0, at: Int64(index))
            let outcome = Outcome(
                topic: "work",
                partition: 0,
                offset: Int64(index),
                fate: .succeeded,
                reason: nil,
                attempts: 1,
                deadLetterID: nil,
                receivedAt: 1_763_000_000_000,
                settledAt: 1_763_000_000_000,
                worker: "activation-worker",
                workerVersion: "0"
            )
            // One in fifty is late, and that is more than one in a hundred.
            let took = index % 50 == 0 ? wait : 10
            audit.foundOutcome(
                InboundRecord(
                    topic: "work.result",
                    partition: 0,
                    offset: Int64(index),
                    timestamp: 1_763_000_000_000 + took,
                    key: record.key,
                    value: ActivationResult.encode(outcome, nil, as: .protobuf),
                    headers: []
                )
            )
        }
        audit.conclude()
        #expect(audit.wait(at: 0.5) == 10)
        #expect(audit.wait(at: 0.99) == wait)
        #expect(audit.findings.count(.late) == (wait > 30_000 ? 1 : 0))
    }

    /// The load goes on until they are dead.
    @Test func knowsWhichInputsNeedOthersBesideThem() {
        var make = Activations(topic: "work", now: 1_763_000_000_000)
        var audit = ChaosAudit(topic: "work", keys: 1, delivery: .exactlyOnce)
        for kind in [InputKind.json, .poison, .unknownCode, .largeAnswer, .lateAccount] {
            _ = audit.sent(kind.record(&make), kind, key: 0)
        }
        #expect(audit.needingCompany == [2, 3, 4])
    }

    @Test func findsWhatIsLost() {
        var evidence = Evidence()
        let number = evidence.first(.protobuf)
        evidence.outcomes.remove(at: number - 1)
        #expect(evidence.matters() == [.lost: 1])
        #expect(!evidence.findings(.atLeastOnce).objections(.atLeastOnce).isEmpty)
    }

    @Test func findsWhatWasNotDelivered() {
        var evidence = Evidence()
        // The last of its key, and one that nobody calls for: nothing else depends on it.
        let number = evidence.first(.unknownApp)
        evidence.undelivered[number] = "timed out"
        evidence.outcomes.remove(at: number - 1)
        evidence.letters.removeAll { $0.text("dlq.id") == "dl-\(number)" }
        #expect(evidence.matters() == [.undelivered: 1])
    }

    @Test func findsAWrongFateAndAWrongReason() {
        var evidence = Evidence()
        let (good, refused) = (evidence.first(.json), evidence.first(.illegalMuid))
        evidence.outcomes[good - 1] = evidence.outcome(of: good, fate: .expired, reason: "deadline")
        evidence.outcomes[refused - 1] = evidence.outcome(of: refused, reason: "gdt.-14")
        #expect(evidence.matters() == [.wrongFate: 2])
    }

    @Test func findsAnOutcomeUnderAnotherKey() {
        var evidence = Evidence()
        evidence.outcomes[0].key = ChaosAudit.key(1)
        #expect(evidence.matters() == [.wrongFate: 1])
    }

    @Test func countsDuplicatesAndForbidsThemWithExactlyOnce() {
        var evidence = Evidence()
        evidence.addOutcome(of: 4)
        evidence.letters.append(Evidence().letters[2])
        #expect(evidence.matters() == [.repeatedOutcome: 1, .repeatedLetter: 1])
        #expect(evidence.findings(.exactlyOnce).objections(.exactlyOnce).count == 2)
        #expect(evidence.findings(.atLeastOnce).objections(.atLeastOnce) == [])
    }

    @Test func findsOutcomesOutOfOrderOfTheirKeyOnly() {
        var evidence = Evidence()
        // Input 1 and 3 have one key, 2 and 4 the other.
        evidence.outcomes.swapAt(0, 1)
        #expect(evidence.matters() == [:])
        evidence.outcomes = Evidence().outcomes
        evidence.outcomes.swapAt(0, 2)
        #expect(evidence.matters() == [.outcomeOutOfOrder: 1])
    }

    /// A repeat that comes late is a repeat and nothing else.
    @Test func theFirstAppearanceCounts() {
        var evidence = Evidence()
        evidence.addOutcome(of: 1)
        #expect(evidence.matters(.atLeastOnce) == [.repeatedOutcome: 1])
    }

    @Test func findsACallBeforeTheAnswerToAnEarlierOneOfItsKey() {
        var evidence = Evidence()
        // The calls for inputs 1 and 2, then for 3: question and answer each.
        evidence.calls.swapAt(1, 4)
        #expect(evidence.matters() == [.callOutOfOrder: 1])
        evidence = Evidence()
        evidence.calls.swapAt(1, 2)
        #expect(evidence.matters() == [:])
    }

    /// An answer that is not the last word lets nobody ahead.
    @Test func anAnswerThatAsksForAnotherTryIsNoneYet() {
        var evidence = Evidence()
        let number = evidence.first(.keysNotFound)
        let answer = evidence.calls.firstIndex { $0.clickID == "chaos-\(number)" && !$0.isCall } ?? 0
        evidence.calls[answer].ret = -12
        #expect(evidence.matters()[.callOutOfOrder] ?? 0 > 0)
        // The second try comes before the next of its key.
        evidence.calls.insert(.init(clickID: "chaos-\(number)", isCall: true), at: answer + 1)
        evidence.calls.insert(.init(clickID: "chaos-\(number)", isCall: false, ret: 0), at: answer + 2)
        #expect(evidence.matters() == [:])
        #expect(evidence.findings().repeatedCalls == 0)
    }

    @Test func aCallThatIsRepeatedAfterAKillIsNoViolation() {
        var evidence = Evidence()
        evidence.calls += evidence.calls.prefix(4)
        #expect(evidence.matters() == [:])
        #expect(evidence.findings().repeatedCalls == 2)
    }

    @Test func findsCallsThatNobodyAskedFor() {
        var evidence = Evidence()
        evidence.calls.append(.init(clickID: "chaos-\(evidence.first(.zeroDevice))", isCall: true))
        evidence.calls.append(.init(clickID: "chaos-100000", isCall: true))
        evidence.calls.append(.init(clickID: "somebody", isCall: true))
        evidence.lostEntries = 3
        #expect(evidence.matters() == [.strangeCall: 4])
    }

    @Test func findsADeadLetterThatAnOutageHasMade() {
        var evidence = Evidence()
        evidence.addLetter(of: evidence.first(.json), reason: "transport.timeout")
        #expect(evidence.matters() == [.strayLetter: 1])
    }

    @Test func findsADeadLetterForAnotherReason() {
        var evidence = Evidence()
        let number = evidence.first(.illegalRequest)
        evidence.letters.removeAll { $0.text("dlq.id") == "dl-\(number)" }
        evidence.addLetter(of: number, reason: "http.503")
        #expect(evidence.matters() == [.strayLetter: 1])
    }

    /// Four failures of its own, and an outage for the fifth.
    @Test func theLastFailureOfARecordThatDiesAnywayMayBeOfAnOutage() {
        var evidence = Evidence()
        let number = evidence.first(.unknownCode)
        evidence.letters.removeAll { $0.text("dlq.id") == "dl-\(number)" }
        evidence.addLetter(of: number, reason: "http.503")
        evidence.outcomes[number - 1] = evidence.outcome(of: number, reason: "http.503")
        #expect(evidence.matters() == [:])
        evidence.outcomes[number - 1] = evidence.outcome(of: number, reason: "gdt.-1")
        #expect(evidence.matters() == [.wrongFate: 1])
    }

    @Test func findsAnOutcomeWhoseDeadLetterIsNotThere() {
        var evidence = Evidence()
        evidence.letters.removeFirst()
        #expect(evidence.matters() == [.wrongLetter: 1])
    }

    @Test func findsAnOutcomeThatNamesAnotherDeadLetter() {
        var evidence = Evidence()
        let number = evidence.first(.tombstone)
        evidence.outcomes[number - 1] = evidence.outcome(of: number, letter: "dl-other")
        #expect(evidence.matters() == [.wrongLetter: 1])
    }

    @Test func findsADeadLetterThatDiffersFromItsRecord() {
        var evidence = Evidence()
        evidence.letters[0].value = [1]
        evidence.letters[1].key = nil
        evidence.letters[2].headers.insert(RecordHeader("new", "one"), at: 0)
        #expect(evidence.matters() == [.wrongLetter: 3])
    }

    @Test func findsWhatIsNoOutcomeAndNoDeadLetter() {
        var evidence = Evidence()
        evidence.addOutcome(of: 1)
        evidence.outcomes[evidence.outcomes.count - 1].value = Array("hello".utf8)
        evidence.letters.append(Evidence().letters[0])
        evidence.letters[evidence.letters.count - 1].headers = []
        #expect(evidence.matters() == [.riddle: 2])
    }

    @Test func findsInputsOfAKeyThatTheBrokerHasInAnotherOrder() {
        var evidence = Evidence()
        // The last two that nobody calls for have their places swapped, and everything about them with it.
        let (first, second) = (evidence.first(.zeroDevice), evidence.first(.oldConversion))
        (evidence.inputs[first - 1].offset, evidence.inputs[second - 1].offset) = (
            evidence.inputs[second - 1].offset, evidence.inputs[first - 1].offset
        )
        evidence.outcomes[first - 1] = evidence.outcome(of: first)
        evidence.outcomes[second - 1] = evidence.outcome(of: second)
        #expect(evidence.matters() == [.misordered: 1])
    }

    /// Otherwise the first of them would look like a loss of the workers.
    @Test func findsTwoInputsThatTheBrokerHasAcknowledgedAtOnePlace() {
        var evidence = Evidence()
        let (first, second) = (evidence.first(.zeroDevice), evidence.first(.oldConversion))
        evidence.inputs[second - 1].offset = evidence.inputs[first - 1].offset
        evidence.outcomes[second - 1] = evidence.outcome(of: second)
        #expect(evidence.matters()[.riddle] == 1)
    }

    /// The outcome of a record with a long key says how long the key is. No other outcome may do without its key.
    @Test func findsAKeyThatIsLeftOutWithoutNeed() {
        var evidence = Evidence()
        let (long, short) = (evidence.first(.longKey), evidence.first(.json))
        evidence.outcomes[long - 1].headers = [RecordHeader(OutboundRecord.keyOmittedHeader, "12")]
        evidence.outcomes[short - 1].key = nil
        evidence.outcomes[short - 1].headers = [RecordHeader(OutboundRecord.keyOmittedHeader, "10")]
        #expect(evidence.matters() == [.wrongFate: 2])
        evidence.outcomes[long - 1].headers = []
        #expect(evidence.matters() == [.wrongFate: 2])
        evidence = Evidence()
        evidence.outcomes[long - 1].key = evidence.inputs[long - 1].record.key
        evidence.outcomes[long - 1].headers = []
        #expect(evidence.matters() == [:])
    }

    /// A dead letter may point at a record that is too large to be repeated, and at no other.
    @Test(arguments: ["dlq.value_bytes", "dlq.value_sha256"])
    func findsAPointerThatDoesNotFitItsRecord(header: String) throws {
        var evidence = Evidence()
        let large = try evidence.letter(of: .oversized)
        let place = try #require(evidence.letters[large].headers.firstIndex { $0.name == header })
        evidence.letters[large].headers[place] = RecordHeader(header, "0")
        #expect(evidence.matters() == [.wrongLetter: 1])
        evidence.letters[large].headers.remove(at: place)
        #expect(evidence.matters() == [.wrongLetter: 1])
    }

    @Test func findsAValueThatIsLeftOutWithoutNeed() throws {
        var evidence = Evidence()
        let small = try evidence.letter(of: .notJSON)
        let value = try #require(evidence.letters[small].value)
        evidence.letters[small].value = nil
        evidence.letters[small].headers += [
            RecordHeader("dlq.value_omitted", "too_large"),
            RecordHeader("dlq.value_bytes", String(value.count)),
            RecordHeader("dlq.value_sha256", Digest.sha256.hexadecimal(value)),
        ]
        #expect(evidence.matters() == [.wrongLetter: 1])
    }

    /// The worker has not waited until the account was known.
    @Test func findsADeadLetterOfAnAccountThatIsNotKnownYet() {
        var evidence = Evidence()
        let number = evidence.first(.lateAccount)
        evidence.outcomes[number - 1] = evidence.outcome(of: number, fate: .deadLettered, reason: "gdt.-12")
        evidence.addLetter(of: number, reason: "gdt.-12")
        #expect(evidence.matters() == [.wrongFate: 1, .strayLetter: 1])
    }

    /// A move of partition 0 at the time 1,000. The group had committed offset 5, and offset 7 beyond it.
    private static func move(_ records: Range<Int64>) -> GroupMove {
        GroupMove(at: 1_000, parts: [0: GroupMove.Part(records: records, position: 5, finished: [7])])
    }

    /// The group was moved back to offset 3 of partition 0 when offset 8 was its end.
    @Test func allowsOneMoreOutcomeBehindAMovedPositionOnly() throws {
        var evidence = Evidence()
        evidence.move = Self.move(3..<8)
        let inside = try #require(evidence.inputs.firstIndex { $0.partition == 0 && $0.offset == 3 }) + 1
        let after = try #require(evidence.inputs.firstIndex { $0.partition == 0 && $0.offset == 8 }) + 1
        let elsewhere = try #require(evidence.inputs.firstIndex { $0.partition == 1 && $0.offset == 3 }) + 1
        evidence.addOutcome(of: inside)
        #expect(evidence.matters() == [:])
        evidence.addOutcome(of: inside)
        #expect(evidence.matters() == [.repeatedOutcome: 1])
        evidence.addOutcome(of: after)
        evidence.addOutcome(of: elsewhere)
        #expect(evidence.matters() == [.repeatedOutcome: 3])
        #expect(!evidence.findings().objections(.exactlyOnce).isEmpty)
    }

    @Test func allowsOneMoreDeadLetterBehindAMovedPositionOnly() throws {
        var evidence = Evidence()
        let letter = try evidence.letter(of: .empty)
        let offset = evidence.inputs[evidence.first(.empty) - 1].offset
        evidence.letters.append(evidence.letters[letter])
        evidence.move = Self.move(offset + 1..<offset + 9)
        #expect(evidence.matters() == [.repeatedLetter: 1])
        evidence.move = Self.move(offset..<offset + 9)
        #expect(evidence.matters() == [:])
        evidence.letters.append(evidence.letters[letter])
        #expect(evidence.matters() == [.repeatedLetter: 1])
    }

    /// A record that was left out after a move is lost, whatever the position was before.
    @Test func findsARecordThatIsLeftOutAfterAMove() throws {
        var evidence = Evidence()
        evidence.move = Self.move(3..<8)
        let inside = try #require(evidence.inputs.firstIndex { $0.partition == 0 && $0.offset == 3 })
        evidence.outcomes.remove(at: inside)
        #expect(evidence.matters() == [.lost: 1])
    }

    /// Once the group was moved back, a record that had been skipped got its outcome after all.
    @Test(arguments: [4, 5, 6, 7, 8], [(999, nil), (1_001, nil), (1_001, 998), (1_003, 1_002)])
    func findsWhatAMoveHasHidden(offset: Int64, times: (written: Int64, parked: Int64?)) throws {
        let (written, parked) = times
        var evidence = Evidence()
        evidence.move = Self.move(3..<8)
        let index = try #require(evidence.inputs.firstIndex { $0.partition == 0 && $0.offset == offset })
        evidence.outcomes[index].timestamp = written
        if let parked {
            for value in [[1], nil] as [[UInt8]?] {
                let ticket = InboundRecord(
                    topic: "work.parked",
                    partition: 0,
                    offset: Int64(evidence.tickets.count),
                    timestamp: value == nil ? 1_003 : parked,
                    key: Array(String(offset).utf8),
                    value: value
                )
                evidence.tickets.append(ticket)
            }
        }
        let wasFinished = offset < 5 || offset == 7
        let wasParked = parked == 998
        #expect(evidence.matters() == (wasFinished && written > 1_000 && !wasParked ? [.lost: 1] : [:]))
    }

    @Test func saysWhatItObjectsToAndCountsTheRest() {
        var evidence = Evidence()
        evidence.outcomes = []
        let objections = evidence.findings().objections(.exactlyOnce)
        #expect(objections.first?.contains("has no outcome") == true)
        #expect(objections.contains { $0.hasSuffix("more like the last") })
    }
}
