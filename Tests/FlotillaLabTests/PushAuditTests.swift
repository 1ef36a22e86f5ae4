import Records
import ServiceKit
import SwiftProtobuf
import Testing
import WireFormats
import WireMessages
import WorkerKit

@testable import Harness
@testable import Trials

/// The push events of a chaos run, and each way in which their outcomes can be doctored.
struct PushAuditTests {
    private static let now: Int64 = 1_763_000_000_000

    /// Some events, each in one partition.
    private static func inputs() -> [LoadInput] {
        var random = SplitMix64(seed: 1)
        var source = PushInputs(topic: "push-arrival")
        return (0..<100).map { source.next(at: .seconds($0), using: &random) }
    }

    private static func outcome(
        of offset: Int,
        key: Int,
        _ fate: Outcome.Fate = .succeeded,
        because code: String? = nil,
        standing: String = "accepted"
    ) -> InboundRecord {
        let outcome = Outcome(
            topic: "push-arrival",
            partition: 0,
            offset: Int64(offset),
            fate: fate,
            reason: code.map { Reason($0, "A reason.") },
            attempts: 0,
            deadLetterID: nil,
            receivedAt: Self.now,
            settledAt: Self.now,
            worker: "push-arrival-worker",
            workerVersion: "0"
        )
        return InboundRecord(
            topic: "push-arrival.result",
            partition: 0,
            offset: Int64(offset),
            timestamp: Self.now + 100,
            key: ChaosAudit.key(key),
            value: Self.value(of: outcome, standing),
            headers: []
        )
    }

    private static func value(of outcome: Outcome, _ standing: String) -> [UInt8] {
        let value = PushArrivalResult.encode(outcome, nil, as: .protobuf)
        var message = (try? Flotilla_Pusharrival_V1_PushArrivalResult(serializedBytes: value)) ?? .init()
        message.result = standing
        return (try? message.serializedBytes()) ?? []
    }

    /// Returns the kinds of objection after the outcome of one input was doctored.
    private func matters(
        _ kind: InputKind? = nil,
        doctored doctor: (_ offset: Int, _ key: Int) -> [InboundRecord] = { _, _ in [] }
    ) -> [ChaosFindings.Matter] {
        let inputs = Self.inputs()
        let victim = kind.flatMap { kind in inputs.firstIndex { $0.kind == kind } }
        var audit = ChaosAudit(
            topic: "push-arrival",
            keys: PushInputs.keys,
            delivery: .atLeastOnce,
            results: Flotilla_Pusharrival_V1_PushArrivalResult.self
        )
        for (offset, input) in inputs.enumerated() {
            let sentAt = input.isHonest ? Self.now : nil
            let number = audit.sent(input.record, input.kind, key: input.key, at: sentAt)
            audit.delivered(number, to: 0, at: Int64(offset))
        }
        for (offset, input) in inputs.enumerated() {
            let outcomes =
                offset == victim ? doctor(offset, input.key) : [Self.outcome(of: offset, key: input.key)]
            for outcome in outcomes { audit.foundOutcome(outcome) }
        }
        audit.conclude()
        return ChaosFindings.Matter.allCases.filter { audit.findings.count($0) > 0 }
    }

    @Test func aRunInWhichEachEventIsCountedIsClean() {
        #expect(self.matters() == [])
        let invented = self.matters(.inventedMessage) {
            [Self.outcome(of: $0, key: $1, .rejected, because: InputKind.tooManyMessages)]
        }
        #expect(invented == [])
    }

    /// An honest device has to be counted, whatever the hostile one invents.
    @Test func findsAnHonestEventThatIsRejected() {
        let found = self.matters(.pushEvent) {
            [Self.outcome(of: $0, key: $1, .rejected, because: InputKind.tooManyMessages)]
        }
        #expect(found == [.wrongFate])
    }

    /// Such an event has succeeded, and is in no count.
    @Test(arguments: ["late", "duplicate", "ineligible"])
    func findsAnHonestEventThatIsNotCounted(standing: String) {
        let found = self.matters(.pushEvent) { [Self.outcome(of: $0, key: $1, standing: standing)] }
        #expect(found == [.wrongFate])
    }

    /// A run in which the limit does not work shows nothing.
    @Test func findsAFloodOfWhichNothingIsOneTooMany() {
        for (count, matters) in [(999, []), (1_000, [ChaosFindings.Matter.harmNotDone])] {
            var audit = ChaosAudit(topic: "push-arrival", keys: PushInputs.keys, delivery: .exactlyOnce)
            for _ in 0..<count {
                _ = audit.sent(
                    OutboundRecord(topic: "push-arrival"),
                    .inventedMessage,
                    key: PushInputs.honestDevices
                )
            }
            audit.conclude()
            #expect(ChaosFindings.Matter.allCases.filter { audit.findings.count($0) > 0 } == matters)
        }
    }

    @Test func findsAnInventedMessageThatIsRejectedForAnotherReason() {
        let found = self.matters(.inventedMessage) {
            [Self.outcome(of: $0, key: $1, .rejected, because: "device_id.malformed")]
        }
        #expect(found == [.wrongFate])
    }

    @Test(arguments: [InputKind.pushEvent, .inventedMessage])
    func findsAnEventThatIsLostOrCountedTwice(kind: InputKind) {
        #expect(self.matters(kind) == [.lost])
        let twice = self.matters(kind) { offset, key in
            [Self.outcome(of: offset, key: key), Self.outcome(of: offset, key: key)]
        }
        #expect(twice == [.repeatedOutcome])
    }

    /// The push-arrival worker knows only one way of delivery, so the setting of the other workers excuses nothing.
    @Test func aRepeatedOutcomeEndsARunOfEitherDelivery() {
        var pushes = ChaosAudit(topic: "push-arrival", keys: 1, delivery: .atLeastOnce)
        pushes.object(.repeatedOutcome, "twice")
        let options = ChaosOptions(
            length: .seconds(60),
            seed: 1,
            delivery: .atLeastOnce,
            workers: 3,
            rate: 300,
            hasAdversary: true
        )
        let summary = ChaosSummary(
            options,
            ChaosAudit(topic: "activation", keys: 1, delivery: .atLeastOnce),
            receipts: nil,
            pushes: pushes,
            tally: ChaosTally(),
            takeovers: Takeovers()
        )
        #expect(summary.objections == ["twice"])
        #expect(summary.lines.contains { $0.contains("honest push events") })
    }

    /// The worker reads the events as the lab means them.
    @Test func eachEventCanBeReadAndEachInventedMessageIsNew() throws {
        var messages: [InputKind: [String]] = [:]
        for input in Self.inputs() {
            let record = InboundRecord(
                topic: "push-arrival",
                partition: 0,
                offset: 0,
                timestamp: Self.now,
                value: input.record.value,
                headers: []
            )
            let event = try PushEvent(decoding: record, now: Moment.now.wall, paths: PushPayloadPaths([]))
            #expect(event.deviceID == String(decoding: ChaosAudit.key(input.key), as: UTF8.self))
            messages[input.kind, default: []].append(event.messageID)
        }
        let invented = try #require(messages[.inventedMessage])
        #expect(invented.count > 20 && Set(invented).count == invented.count)
        #expect(Set(messages[.pushEvent] ?? []).count == 1)
    }
}
