import Records
import SwiftProtobuf
import TestMaterial
import Testing
import WireFormats
import WireMessages

@testable import DeadLetters

@Suite struct ReplayOutcomeTests {
    static let replay = RecordHeader("dlq.replay_id", "r-1")

    static func record(_ value: [UInt8]?, _ format: ValueFormat, _ headers: [RecordHeader] = [replay])
        -> InboundRecord
    {
        let type = RecordHeader("content-type", format.contentType)
        return InboundRecord(topic: "r", partition: 0, offset: 0, value: value, headers: [type] + headers)
    }

    @Test(arguments: ValueFormat.allCases)
    func readsEveryWorkersResult(format: ValueFormat) throws {
        var outcome = Outcome.ofActivation(
            .deadLettered,
            Reason("gdt.-1", "m"),
            deadLetterID: "dl-0123456789abcdef0123456789abcdef"
        )
        outcome.settledAt = 1_795_248_000_057
        let answer = DeviceCheckAnswer(
            .invalidToken,
            DeviceCheckHeader(operation: .query, environment: .production)
        )
        let values = [
            ActivationResult.encode(outcome, try Self.answer(), as: format),
            DeviceCheckResult.encode(outcome, answer, as: format),
            ReceiptResult.encode(outcome, ReceiptAnswer(.invalid, ReceiptHeader(bundleID: "b")), as: format),
        ]
        for value in values {
            let read = try #require(ReplayOutcome(Self.record(value, format)))
            #expect((read.replayID, read.fate, read.reasonCode) == ("r-1", "dead_lettered", "gdt.-1"))
            #expect(read.deadLetterID == outcome.deadLetterID)
            #expect(read.settledAt == 1_795_248_000_057)
        }
    }

    @Test(arguments: ValueFormat.allCases, Outcome.Fate.allCases)
    func readsEveryFate(format: ValueFormat, fate: Outcome.Fate) {
        let value = ActivationResult.encode(Outcome.ofActivation(fate), nil, as: format)
        let read = ReplayOutcome(Self.record(value, format))
        #expect(read?.fate == fate.rawValue)
        #expect((read?.reasonCode, read?.deadLetterID) == (nil, nil))
    }

    /// A replay is known to have ended also where a worker writes its outcomes as CloudEvents.
    @Test(arguments: ResultEnvelope.allCases, ValueFormat.allCases)
    func readsAnOutcomeInItsEnvelope(envelope: ResultEnvelope, format: ValueFormat) throws {
        let outcome = Outcome.ofActivation(.succeeded)
        let bare = Self.record(ActivationResult.encode(outcome, nil, as: format), format)
        var sent = OutboundRecord(topic: bare.topic, value: bare.value, headers: bare.headers)
        sent.wrap(in: envelope, of: outcome, as: format)
        let record = InboundRecord(
            topic: sent.topic,
            partition: 0,
            offset: 0,
            value: sent.value,
            headers: sent.headers
        )
        let read = try #require(ReplayOutcome(record))
        #expect((read.replayID, read.fate) == ("r-1", "succeeded"))
    }

    /// It is known also where a frame of a schema registry stands before the outcome, whichever worker's it is.
    @Test(arguments: ValueFormat.allCases, [0, PushForwardResult.place])
    func readsAnOutcomeBehindItsFrame(format: ValueFormat, place: Int) throws {
        let outcome = Outcome.ofActivation(.succeeded)
        let frame = SchemaRegistryFraming.frame(schema: 7, format, messageAt: place)
        let value = frame + PushForwardResult.encode(outcome, PushForwardAnswer(arrivals: 3), as: format)
        let read = try #require(ReplayOutcome(Self.record(value, format)))
        #expect((read.replayID, read.fate) == ("r-1", "succeeded"))
    }

    @Test(arguments: ValueFormat.allCases)
    func isNotThereWithoutAReplay(format: ValueFormat) {
        let value = ActivationResult.encode(Outcome.ofActivation(), nil, as: format)
        #expect(ReplayOutcome(Self.record(value, format)) != nil)
        #expect(ReplayOutcome(Self.record(value, format, [])) == nil)
        #expect(ReplayOutcome(Self.record(value, format, [RecordHeader("dlq.replay_id", "a b")])) == nil)
    }

    @Test(arguments: [
        "{}", #"{"outcome":{}}"#, #"{"outcome":{"fate":"a b"}}"#, #"{"outcome":7}"#, "[1]", "", "{",
        #"{"outcome":{"fate":17}}"#,
    ])
    func readsNothingElse(text: String) {
        #expect(ReplayOutcome(Self.record(Array(text.utf8), .json)) == nil)
        #expect(ReplayOutcome(Self.record(Array(text.utf8), .protobuf)) == nil)
        #expect(ReplayOutcome(Self.record(nil, .json)) == nil)
    }

    @Test func readsNothingCutShort() {
        let value = ActivationResult.encode(Outcome.ofActivation(), nil, as: .protobuf)
        // Bytes that end with the last field of the outcome are a message again, so only their length tells.
        for length in 0..<value.count {
            #expect(ReplayOutcome(Self.record(Array(value.prefix(length)), .protobuf)) == nil)
        }
    }

    @Test func addsUpWhatIsSaidTwice() throws {
        var (first, second) = (
            Flotilla_Activation_V1_ActivationResult(), Flotilla_Activation_V1_ActivationResult()
        )
        first.outcome.fate = "succeeded"
        second.outcome.reason.code = "late"
        let value: [UInt8] = try first.serializedBytes() + second.serializedBytes()
        let read = try #require(ReplayOutcome(Self.record(value, .protobuf)))
        #expect((read.fate, read.reasonCode) == ("succeeded", "late"))
    }

    /// An answer of GDT, which a result carries beside its outcome.
    private static func answer() throws -> ActivationAnswer {
        let record = InboundRecord(
            topic: "activation",
            partition: 3,
            offset: 42,
            value: Array(EditingTests.valid.utf8)
        )
        let reply = try #require(GDTReply(Array(#"{"ret":-15,"msg":"m"}"#.utf8)))
        return ActivationAnswer(
            account: GDTAccount(appID: 112_233, advertiserID: 10_000),
            conversionType: "MOBILEAPP_ACTIVITE",
            gdt: GDTAnswer(reply, httpStatus: 200, to: try Activation(decoding: record))
        )
    }
}
