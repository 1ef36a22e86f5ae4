import Records
import ServiceKit
import Testing
import WireFormats
import WireMessages
import WorkerKit

@testable import Harness
@testable import Rehearsal
@testable import Trials

/// The receipts of a small run in which all is well, and each way in which it can be doctored.
struct ReceiptAuditTests {
    private static let now: Int64 = 1_763_000_000_000

    /// A hundred receipts as they are published while the sandbox is dead, each key in a partition of its own kind.
    private struct Evidence {
        var inputs: [LoadInput] = []
        var places: [(partition: Int32, offset: Int64)] = []
        var outcomes: [InboundRecord] = []
        var tickets: [InboundRecord] = []

        init() {
            var random = SplitMix64(seed: 1)
            var source = ReceiptInputs(topic: "receipt", dead: .zero ..< .seconds(10))
            var ends: [Int64] = [0, 0]
            for _ in 0..<100 {
                let input = source.next(at: .seconds(5), using: &random)
                let partition = input.isHonest ? 0 : 1
                self.inputs.append(input)
                self.places.append((Int32(partition), ends[partition]))
                ends[partition] += 1
                self.addOutcome(of: self.inputs.count)
            }
        }

        /// - Parameter wait: in milliseconds.
        mutating func addOutcome(of number: Int, after wait: Int64 = 100) {
            let (input, place) = (self.inputs[number - 1], self.places[number - 1])
            let outcome = Outcome(
                topic: "receipt",
                partition: place.partition,
                offset: place.offset,
                fate: .succeeded,
                reason: nil,
                attempts: 1,
                deadLetterID: nil,
                receivedAt: now,
                settledAt: now,
                worker: "receipt-worker",
                workerVersion: "0"
            )
            self.outcomes.append(
                InboundRecord(
                    topic: "receipt.result",
                    partition: place.partition,
                    offset: Int64(self.outcomes.count),
                    timestamp: now + wait,
                    key: ChaosAudit.key(input.key),
                    value: ReceiptResult.encode(outcome, nil, as: .protobuf),
                    headers: []
                )
            )
        }

        mutating func addTicket(of number: Int, isEnd: Bool = false) {
            let place = self.places[number - 1]
            self.tickets.append(
                InboundRecord(
                    topic: "receipt.parked",
                    partition: place.partition,
                    offset: Int64(self.tickets.count),
                    timestamp: now,
                    key: Array(String(place.offset).utf8),
                    value: isEnd ? nil : Array("p1".utf8),
                    headers: []
                )
            )
        }

        func numbers(_ kind: InputKind) -> [Int] {
            self.inputs.indices.filter { self.inputs[$0].kind == kind }.map { $0 + 1 }
        }

        func audit(_ delivery: EngineSettings.Delivery = .exactlyOnce) -> ChaosAudit {
            var audit = ChaosAudit(
                topic: "receipt",
                keys: ReceiptInputs.keys,
                delivery: delivery,
                results: Flotilla_Receipt_V1_ReceiptResult.self
            )
            for (input, place) in zip(self.inputs, self.places) {
                let sentAt = input.isHonest ? now : nil
                let number = audit.sent(input.record, input.kind, key: input.key, at: sentAt)
                audit.delivered(number, to: place.partition, at: place.offset)
            }
            for outcome in self.outcomes { audit.foundOutcome(outcome) }
            for ticket in self.tickets { audit.foundTicket(ticket) }
            audit.conclude()
            return audit
        }

        var matters: [ChaosFindings.Matter: Int] {
            let findings = self.audit().findings
            return Dictionary(
                uniqueKeysWithValues: ChaosFindings.Matter.allCases.map { ($0, findings.count($0)) }
            )
            .filter { $0.value > 0 }
        }

        /// The verdict with which the whole run ends.
        func summary(_ delivery: EngineSettings.Delivery) -> ChaosSummary {
            let options = ChaosOptions(
                length: .seconds(60),
                seed: 1,
                delivery: delivery,
                workers: 3,
                rate: 300,
                hasAdversary: true
            )
            let activations = ChaosAudit(topic: "activation", keys: 1, delivery: delivery)
            let receipts = self.audit(delivery)
            return ChaosSummary(
                options,
                activations,
                receipts: receipts,
                pushes: nil,
                tally: ChaosTally(),
                takeovers: Takeovers()
            )
        }
    }

    @Test(arguments: [EngineSettings.Delivery.exactlyOnce, .atLeastOnce])
    func aRunInWhichAllReceiptsAreSettledIsClean(delivery: EngineSettings.Delivery) {
        let summary = Evidence().summary(delivery)
        #expect(Evidence().matters == [:])
        #expect(summary.objections == [])
        #expect(summary.lines.contains { $0.contains("honest receipts") && $0.contains("p99 100 ms") })
    }

    /// A lost receipt breaks the run with either delivery, be it an honest user's or one that waited for the sandbox.
    @Test(arguments: [InputKind.purchase, .sandboxPurchase])
    func findsAReceiptThatIsLost(kind: InputKind) throws {
        var evidence = Evidence()
        let number = try #require(evidence.numbers(kind).last)
        evidence.outcomes.remove(at: number - 1)
        #expect(evidence.matters == [.lost: 1])
        for delivery in [EngineSettings.Delivery.exactlyOnce, .atLeastOnce] {
            let objections = evidence.summary(delivery).objections
            #expect(objections.count == 1 && objections.first?.contains("(receipt/") == true)
        }
    }

    @Test func aSecondOutcomeOfAReceiptBreaksExactlyOnceOnly() {
        var evidence = Evidence()
        evidence.addOutcome(of: 3)
        #expect(evidence.matters == [.repeatedOutcome: 1])
        #expect(evidence.summary(.exactlyOnce).objections.count == 1)
        #expect(evidence.summary(.atLeastOnce).objections == [])
    }

    /// One honest user in fifty waits until the sandbox is back. A user who asks the sandbox itself has to
    /// wait.
    @Test func findsThatHonestUsersWaitForTheSandbox() {
        for (kind, late) in [(InputKind.purchase, 1), (.sandboxPurchase, 0)] {
            var evidence = Evidence()
            for number in evidence.numbers(kind).suffix(2) {
                evidence.addOutcome(of: number, after: 31_000)
                evidence.outcomes.swapAt(number - 1, evidence.outcomes.count - 1)
                evidence.outcomes.removeLast()
            }
            #expect(evidence.matters == (late == 0 ? [:] : [.late: late]))
        }
    }

    @Test func findsThatAReceiptOvertakesAnEarlierOneOfItsKey() throws {
        var evidence = Evidence()
        let sandbox = evidence.numbers(.sandboxPurchase)
        let keys = Dictionary(grouping: sandbox) { evidence.inputs[$0 - 1].key }
        let numbers = try #require(keys.values.first { $0.count == 2 })
        evidence.outcomes.swapAt(numbers[0] - 1, numbers[1] - 1)
        #expect(evidence.matters == [.outcomeOutOfOrder: 1])
    }

    @Test func findsAReceiptThatIsStillPutAside() {
        var evidence = Evidence()
        for number in [1, 2, 3] { evidence.addTicket(of: number) }
        for number in [1, 3] { evidence.addTicket(of: number, isEnd: true) }
        #expect(evidence.matters == [.parked: 1])
        #expect(evidence.audit().tickets.count == 3)
        // A record that is put aside twice has one ticket.
        evidence.addTicket(of: 2)
        evidence.addTicket(of: 2, isEnd: true)
        #expect(evidence.matters == [:])
    }

    /// A worker that starts writes the tombstone of a ticket that cannot exist.
    @Test func aComparisonOfClocksIsNoTicket() {
        var evidence = Evidence()
        evidence.addTicket(of: 1, isEnd: true)
        evidence.tickets[0].key =
            ParkingTicket.end(of: ParkingTicket.clockOffset, in: "receipt.parked", partition: 0).key
        #expect(evidence.matters == [:])
        #expect(evidence.audit().tickets.isEmpty)
        evidence.tickets[0].value = Array("p1".utf8)
        #expect(evidence.matters == [.riddle: 1])
    }

    @Test func findsATicketOfNoReceipt() {
        var evidence = Evidence()
        evidence.addTicket(of: 1, isEnd: true)
        evidence.tickets[0].key = Array("100000".utf8)
        #expect(evidence.matters == [.riddle: 1])
    }
}
