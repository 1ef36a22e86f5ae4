import Fleet
import Operations
import Records
import Terminal
import Testing
import WireFormats
import WireMessages

@testable import Harness
@testable import Kafka
@testable import Rehearsal
@testable import Trials

/// A small demo in which all is well, and each way in which it can be doctored.
struct DemoAuditTests {
    /// The facts that an audit will be told.
    private struct Evidence {
        var samples = [
            Sample.good("a state", Self.record("a"), word: "state", detail: "bits 1 0"),
            .good(
                "a second call",
                Self.record("b"),
                word: "updated",
                detail: "bits 1 1",
                calls: 2,
                followUps: 1,
                accepted: 2
            ),
            .good("a retry", Self.record("c"), word: "valid", calls: 3),
            .refused("a stale one", Self.record("d"), word: "superseded", because: "update.superseded"),
            .dead("a wrong one", Self.record("e"), as: .invalid, because: "op.unknown"),
        ]
        var outcomes: [InboundRecord] = []
        var letters: [InboundRecord] = []
        var undelivered: Set<Int> = []
        var requests = 6
        var accepted = 4
        var counters = [
            #"worker_records_total{outcome="succeeded"} 3"#, #"worker_records_total{outcome="rejected"} 1"#,
            #"worker_records_total{outcome="dead_lettered"} 1"#, "worker_dead_letters_total 1",
            "worker_retries_total 2",
        ]
        var exit = ChildProcess.Exit.code(0)
        /// The further records that are in the topics when they are read again.
        var late: [InboundRecord] = []

        init() {
            self.outcomes = [
                self.outcome(of: 0, .state, bits: DeviceBits(bit0: true, bit1: false)),
                self.outcome(of: 1, .updated, bits: DeviceBits(bit0: true, bit1: true)),
                self.outcome(of: 2, .valid), self.outcome(of: 3, .superseded), self.outcome(of: 4, nil),
            ]
            self.letters = [self.letter(of: 4)]
        }

        private static func record(_ key: String) -> OutboundRecord {
            OutboundRecord(topic: "devicecheck", key: Array(key.utf8), value: Array("{\(key)}".utf8))
        }

        func outcome(
            of index: Int,
            _ result: DeviceCheckAnswer.Result?,
            bits: DeviceBits? = nil,
            fate: Outcome.Fate? = nil,
            reason: String? = nil,
            attempts: Int? = nil,
            offset: Int64? = nil,
            letter: String = "dl-4"
        ) -> InboundRecord {
            let sample = self.samples[index]
            let fate = fate ?? sample.fate
            let outcome = Outcome(
                topic: "devicecheck",
                partition: 0,
                offset: offset ?? Int64(index),
                fate: fate,
                reason: (reason ?? sample.reason).map { Reason($0, "Told.") },
                attempts: attempts ?? sample.calls.lowerBound,
                deadLetterID: fate == .deadLettered ? letter : nil,
                receivedAt: 1_763_000_000_000,
                settledAt: 1_763_000_000_001,
                worker: "devicecheck-worker",
                workerVersion: "0"
            )
            let header = DeviceCheckHeader(operation: .query, environment: .production)
            let answer = result.map { DeviceCheckAnswer($0, header, bits: bits) }
            var record = InboundRecord(topic: "devicecheck.result", partition: 0, offset: Int64(index))
            record.key = sample.record.key
            record.value = DeviceCheckResult.encode(outcome, answer, as: index == 0 ? .json : .protobuf)
            return record
        }

        func letter(of index: Int) -> InboundRecord {
            let record = self.samples[index].record
            var letter = InboundRecord(topic: "devicecheck.dead-letter", partition: 0, offset: 0)
            letter.key = record.key
            letter.value = record.value
            letter.headers = [
                RecordHeader("__dlq.errors.topic", "devicecheck"),
                RecordHeader("__dlq.errors.partition", "0"), RecordHeader("__dlq.errors.offset", "\(index)"),
                RecordHeader("dlq.id", "dl-\(index)"), RecordHeader("dlq.class", "invalid"),
                RecordHeader("dlq.reason", "op.unknown"),
            ]
            return letter
        }

        var audit: Audit {
            var register = Register(Flotilla_Devicecheck_V1_DeviceCheckResult.self)
            for (index, sample) in self.samples.enumerated() {
                let id = register.published(sample)
                guard !self.undelivered.contains(index) else { continue }
                let partition = TopicPartition(topic: "devicecheck", partition: 0)
                register.delivered(
                    DeliveryReceipt(id: id, partition: partition, offset: Int64(index), error: nil)
                )
            }
            var second = register
            for record in self.letters + self.outcomes { register.arrived(record) }
            for record in self.letters + self.outcomes + self.late { second.arrived(record) }
            var audit = Audit(Roster.deviceCheck, calling: "DeviceCheck", register)
            audit.second = second
            audit.metrics = MetricsPage(Array((self.counters.joined(separator: "\n") + "\n").utf8))
            let stats = #"{"requests":\#(self.requests),"accepted":\#(self.accepted)}"#
            audit.answers.bodies = [UpstreamAnswers.stats: Array(stats.utf8)]
            audit.exit = DemoWorker.Exit(exit: self.exit, took: .zero)
            return audit
        }

        /// Everything that speaks against it.
        var objections: [String] { self.audit.claims.flatMap(\.objections) }

        func objects(_ words: String) -> Bool { self.objections.contains { $0.contains(words) } }
    }

    /// A demo with the frames of a schema registry reads its results too.
    @Test func anOutcomeBehindAFrameIsSeen() throws {
        for index in 0..<2 {
            let bare = Evidence().outcome(of: index, .valid)
            let format: ValueFormat = index == 0 ? .json : .protobuf
            var framed = bare
            framed.value =
                SchemaRegistryFraming.frame(schema: 7, format, messageAt: 0) + (bare.value ?? [])
            let type = Flotilla_Devicecheck_V1_DeviceCheckResult.self
            #expect(Sighting(framed, as: type) == Sighting(bare, as: type))
            #expect(Sighting(framed, as: type) != nil)
        }
    }

    @Test func whereAllIsWellNothingSpeaksAgainstIt() {
        let audit = Evidence().audit
        #expect(audit.claims.flatMap(\.objections) == [])
        #expect(audit.claims.count == 6)
        #expect(audit.register.entries.allSatisfy { $0.settledAt != nil })
        #expect(audit.retries == 2)
    }

    @Test(arguments: 0..<5)
    func findsAMissingOutcome(index: Int) {
        var evidence = Evidence()
        evidence.outcomes.remove(at: index)
        #expect(
            evidence.objects("\(evidence.samples[index].title) (devicecheck/0/\(index)) has no outcome")
        )
    }

    @Test func findsARecordThatNeverGotThere() {
        var evidence = Evidence()
        evidence.undelivered = [2]
        #expect(evidence.objects("a retry (not in the topic) was not acknowledged"))
    }

    @Test(arguments: 0..<5)
    func findsADoubledOutcome(index: Int) {
        var evidence = Evidence()
        evidence.outcomes.append(evidence.outcomes[index])
        #expect(
            evidence.objects("\(evidence.samples[index].title) (devicecheck/0/\(index)) has 2 outcomes")
        )
    }

    /// Only the second look sees what was written after the first.
    @Test func findsADoubledOutcomeThatCameLate() {
        var evidence = Evidence()
        evidence.late = [evidence.outcomes[1], evidence.letters[0]]
        #expect(evidence.objects("read again: a second call (devicecheck/0/1) has 2 outcomes"))
        #expect(evidence.objects("read again: a wrong one (devicecheck/0/4) has 2 dead letters"))
    }

    @Test func findsAnOutcomeOfNobody() {
        var evidence = Evidence()
        evidence.outcomes.append(evidence.outcome(of: 0, .state, offset: 77))
        #expect(evidence.objects("something is said of devicecheck/0/77"))
        var audit = evidence.audit
        audit.isAlone = false
        #expect(audit.claims.flatMap(\.objections) == [])
    }

    @Test func findsAWrongEnding() {
        var evidence = Evidence()
        evidence.outcomes[2] = evidence.outcome(of: 2, .expiredToken, fate: .rejected, reason: "deadline")
        #expect(evidence.objects("a retry (devicecheck/0/2) should be succeeded and is rejected"))
        #expect(evidence.objects("should be called valid and is called expired_token"))
        #expect(evidence.objects("should have the reason none and has deadline"))
    }

    /// Two outcomes have the expected fate, but not the expected word or bits.
    @Test func findsAWrongWordAndWrongBits() {
        var evidence = Evidence()
        evidence.outcomes[0] = evidence.outcome(of: 0, .notSet)
        evidence.outcomes[1] = evidence.outcome(of: 1, .updated, bits: DeviceBits(bit0: false, bit1: true))
        #expect(evidence.objects("should be called state and is called not_set"))
        #expect(evidence.objects("should say bits 1 0 and says no more"))
        #expect(evidence.objects("should say bits 1 1 and says bits 0 1"))
    }

    @Test func findsAWrongReason() {
        var evidence = Evidence()
        evidence.outcomes[3] = evidence.outcome(of: 3, .superseded, reason: "device_token.too_old")
        #expect(
            evidence.objections.count == 1 && evidence.objects("should have the reason update.superseded")
        )
    }

    @Test func findsACallTooMany() {
        var evidence = Evidence()
        evidence.outcomes[3] = evidence.outcome(of: 3, .superseded, attempts: 1)
        #expect(evidence.objects("a stale one (devicecheck/0/3) should take 0 calls and took 1"))
    }

    @Test func findsWhatIsWrongWithADeadLetter() {
        var evidence = Evidence()
        evidence.letters = []
        #expect(evidence.objects("a wrong one (devicecheck/0/4) has no dead letter"))
        evidence = Evidence()
        evidence.letters[0].value = nil
        #expect(evidence.objects("has a dead letter with another value"))
        evidence = Evidence()
        evidence.outcomes[4] = evidence.outcome(of: 4, nil, letter: "dl-3")
        #expect(evidence.objects("has an outcome that does not name its dead letter"))
        evidence = Evidence()
        evidence.letters.append(evidence.letter(of: 0))
        #expect(evidence.objects("a state (devicecheck/0/0) has a dead letter and should have none"))
    }

    /// Where a value may be personal, its letter must not have it.
    @Test func findsADeadLetterThatKeepsWhatItMustNot() {
        var evidence = Evidence()
        evidence.samples[4].letterLeavesOutTheValue = true
        #expect(evidence.objects("has a dead letter that does not leave out its value"))
        evidence.letters[0].value = nil
        #expect(evidence.objects("has a dead letter that does not leave out its value"))
        evidence.letters[0].headers += [
            RecordHeader("dlq.value_omitted", "personal"), RecordHeader("dlq.value_bytes", "3"),
        ]
        #expect(evidence.objections == [])
    }

    /// A worker that calls nobody and counts events.
    @Test func takesTheCountsOfAWorkerThatCallsNobody() {
        let page = MetricsPage(
            Array(
                """
                push_events_total{result="accepted"} 5
                push_events_total{result="duplicate"} 2
                push_events_total{result="rejected"} 3
                push_events_total{result="dead_lettered"} 1

                """.utf8
            )
        )
        let counters = WorkerCounters.events
        #expect(Outcome.Fate.allCases.map { counters.count(of: $0, on: page) } == [7, 3, 0, 1])
        #expect(counters.letters(on: page) == 1 && counters.total(on: page) == 11)
        let audit = Audit(Roster.pushArrival, calling: nil, Register())
        #expect(audit.claims.count == 5)
    }

    @Test func findsWhatTheUpstreamCountsOtherwise() {
        var evidence = Evidence()
        evidence.requests = 7
        #expect(evidence.objections == ["DeviceCheck was called 7 times, not 6"])
        evidence.requests = 6
        evidence.accepted = 3
        #expect(evidence.objections == ["DeviceCheck accepted 3 calls, not 4"])
    }

    @Test(arguments: [
        (1, #"worker_records_total{outcome="rejected"} 2"#, "counts 2 rejected instead of 1"),
        (3, "worker_dead_letters_total 0", "counts 0 dead letters instead of 1"),
        (4, "worker_retries_total 3", "counts 3 retries, and the outcomes tell of 2"),
    ])
    func findsWhatTheWorkerCountsOtherwise(line: Int, counter: String, objection: String) {
        var evidence = Evidence()
        evidence.counters[line] = counter
        #expect(evidence.objections.count == 1 && evidence.objects(objection))
    }

    @Test func findsAnEndThatWasNone() {
        var evidence = Evidence()
        evidence.exit = .signal(9)
        #expect(evidence.objections == ["the worker ended with killed by signal 9 after SIGTERM"])
    }

    /// A service that was not asked has not agreed.
    @Test func whatWasNotAskedIsNoYes() {
        var audit = Evidence().audit
        audit.second = nil
        audit.metrics = nil
        audit.answers = UpstreamAnswers()
        audit.exit = nil
        audit.outage = Outage.Result()
        #expect(audit.claims.count(where: { !$0.objections.isEmpty }) == 5)
        audit.outage = Outage.Result(breakerOpened: 2, breakerClosed: 2)
        #expect(audit.claims.count(where: { !$0.objections.isEmpty }) == 4)
    }
}
