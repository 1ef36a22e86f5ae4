import Records
import SwiftProtobuf
import Testing
import UpstreamSimulator
import WireMessages
import WorkerKit

@testable import ActivationIntake
@testable import EmbeddedBroker
@testable import Fleet
@testable import Harness
@testable import Operations
@testable import Rehearsal
@testable import Trials
@testable import WireFormats

/// Faults that fuzzing has found in the fleet's own tools, each with its story in one line.
struct FindingsTests {
    /// Two lists of characters that must not reach a terminal, where no target can see both.
    @Test func whatALogEscapesIsShownNowhereElse() {
        let scalars = (0...0x10FFFF as ClosedRange<UInt32>).lazy.compactMap(Unicode.Scalar.init)
        #expect(scalars.allSatisfy { !JSONText.isTreacherous($0) || SafeText.isTreacherous($0) })
        #expect(JSONText.isTreacherous("\u{1b}"))
    }

    /// An answer without a description stopped the fuzzing, but only once in many runs.
    @Test func everyAnswerOfTheBrokerIsDescribed() {
        #expect(Set(AnswerShape.shapes.keys) == Set(API.allCases))
    }

    /// Such a value, which gauges can have, ended the demo: no Int says it.
    @Test(arguments: [("NaN", 0), ("+Inf", 0), ("1e300", Int.max), ("-1e300", Int.min), ("76.5", 76)])
    func aMetricMayBeNoCount(text: String, sum: Int) {
        #expect(MetricsPage(Array("worker_ready \(text)\n".utf8)).sum("worker_ready") == sum)
    }

    /// Foundation takes both for JSON: they were printed as they stood, into a line that was none.
    @Test(arguments: [#"{"a":[1 ,],}"#, "{\0\"\0a\0\"\0:\0[\0]\0}\0"])
    func whatIsNoJSONIsPrintedAsBytes(value: String) {
        let record = InboundRecord(topic: "activation", partition: 0, offset: 7, value: Array(value.utf8))
        #expect(RecordLine.text(record).contains(#""value_base64":"#))
    }

    /// And published with the content type of JSON, for a worker to find out.
    @Test func whatIsNoJSONIsNotPublished() throws {
        let parser = PublishLine.Parser(topic: "activation", keyField: nil, isEnvelope: false)
        #expect(throws: PublishLine.Fault.self) { try parser.record(of: Array(#"{"a":1,}"#.utf8)) }
        #expect(try parser.record(of: Array(#"{"a":1}"#.utf8)).value == Array(#"{"a":1}"#.utf8))
    }

    /// A number that is no time in milliseconds ended every program that read the topic of results.
    @Test(arguments: [Int64.max, .min, 253_402_300_800])
    func anOutcomeOfNoTimeIsNone(seconds: Int64) throws {
        var message = Flotilla_Activation_V1_ActivationResult()
        message.outcome.id = "activation/0/0"
        var record = InboundRecord(topic: "activation.result", partition: 0, offset: 7)
        record.value = try message.serializedBytes()
        #expect(Sighting(record)?.place == "activation/0/0")
        message.outcome.receivedAt = Google_Protobuf_Timestamp(seconds: seconds)
        record.value = try message.serializedBytes()
        #expect(Sighting(record) == nil)
    }

    /// The journal forgets what is old: an answer is in it, and the call before it is not. The next call ended the audit.
    @Test func anAnswerMayComeBeforeItsCall() {
        var audit = ChaosAudit(topic: "activation", keys: 1, delivery: .exactlyOnce)
        let record = OutboundRecord(topic: "activation", value: Array("{}".utf8))
        audit.delivered(audit.sent(record, .json, key: 0), to: 0, at: 0)
        audit.noted(CallJournal.Entry(clickID: "x-1", isCall: false, ret: 0))
        audit.noted(CallJournal.Entry(clickID: "x-1", isCall: true))
        #expect(audit.findings.count(.callOutOfOrder) == 1)
        #expect(CallJournal.Page(first: .max, entries: [], lost: 0).end == .max)
        let entry = CallJournal.Entry(clickID: "x-1", isCall: true)
        #expect(CallJournal.Page(first: .max, entries: [entry], lost: 0).end == nil)
    }

    /// The hyphen stood for an unknown id, so that an activation was reported without the click that it had.
    @Test(arguments: ["-", "c", nil])
    func aClickMayHaveAHyphenForItsID(id: String?) {
        let click = ClickTrail.Click(appID: nil, clickID: id, clickedAt: 1_763_962_605)
        #expect(ClickTrail.Click(click.line.utf8) == click)
    }
}
