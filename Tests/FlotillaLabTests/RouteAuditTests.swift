import Records
import Testing
import WireFormats
import WorkerKit

@testable import Harness
@testable import Trials
@testable import UpstreamSimulator

/// A small run with uploads in which all is well, and each way in which it can be doctored.
struct RouteAuditTests {
    private static let inputs: [RouteInput] = [.upload, .upload, .callback, .published, .refused]
    private static let topics = RouteProcesses.Topics(activations: "activation")

    /// The facts of a run that an audit will be told.
    private struct Facts {
        var conversions: [MarketingSimulator.Conversion] = []
        var records: [InboundRecord] = []
        var places: [String: Int] = [:]

        init() {
            for (index, kind) in inputs.enumerated() {
                let number = index + 1
                if kind != .refused { self.conversions.append(Self.conversion(number, kind)) }
                if kind == .upload {
                    self.addUpload(number)
                    for sequence in 1...3 { self.addEvent(sequence, of: number) }
                } else {
                    self.places["activation/0/\(number)"] = number
                }
                self.addReport(of: number)
            }
        }

        static func conversion(_ number: Int, _ kind: RouteInput) -> MarketingSimulator.Conversion {
            MarketingSimulator.Conversion(
                actionSetID: 1,
                actionType: "ACTIVATE_APP",
                outerActionID: "id-\(number)",
                muid: RouteInput.muid(number),
                callback: kind == .callback ? RouteInput.cb(of: number) : "",
                count: 1
            )
        }

        mutating func add(
            _ topic: String,
            _ value: [UInt8]?,
            _ headers: [RecordHeader] = [],
            key: String? = nil
        ) {
            self.records.append(
                InboundRecord(
                    topic: topic,
                    partition: 0,
                    offset: Int64(self.records.count),
                    timestamp: nil,
                    key: key.map { Array($0.utf8) },
                    value: value,
                    headers: headers
                )
            )
        }

        /// Adds an upload and its outcome.
        mutating func addUpload(_ number: Int, outcomes: Int = 1) {
            self.add(topics.uploads, [1])
            let place = self.records.count - 1
            for _ in 0..<outcomes {
                let text = """
                    {"outcome":{"id":"\(topics.uploads)/0/\(place)","fate":"succeeded","attempts":0},\
                    "upload":{"events":3,"dropped":0,"activations":1}}
                    """
                self.add(topics.uploadResults, Array(text.utf8))
            }
        }

        mutating func addEvent(_ sequence: Int, of number: Int) {
            let device = RouteInput.phone(number).deviceID
            let text = """
                {"id":"event-\(number)-\(sequence)","event":{"deviceId":"\(device)",\
                "eventSequenceId":\(sequence),"eventType":"\(RouteInput.events[sequence - 1].name)"}}
                """
            self.add(topics.events, Array(text.utf8))
        }

        mutating func addReport(of number: Int, fate: Outcome.Fate? = nil) {
            let kind = inputs[number - 1]
            let isRefused = kind == .refused && fate == nil
            let outcome = Outcome(
                topic: topics.due,
                partition: 0,
                offset: Int64(number),
                fate: isRefused ? .rejected : fate ?? .succeeded,
                reason: isRefused ? Reason("marketing.31005", "It is so.") : nil,
                attempts: 1,
                deadLetterID: nil,
                receivedAt: 1_763_000_000_000,
                settledAt: 1_763_000_000_001,
                worker: "activation-worker",
                workerVersion: "0"
            )
            let origin = kind == .upload ? "activation.uploads/0/\(number)" : "activation/0/\(number)"
            var headers = [RecordHeader("flotilla.origin", origin)]
            if kind == .upload { headers.append(RecordHeader("flotilla.event_id", "event-\(number)-1")) }
            self.add(topics.reports, ActivationResult.encode(outcome, nil, as: .protobuf), headers)
        }

        mutating func addDuplicate() {
            let text =
                #"{"outcome":{"id":"x","fate":"rejected","attempts":0,"reason":{"code":"activation.duplicate"}}}"#
            self.add(topics.refusals, Array(text.utf8))
        }

        func objections(_ delivery: EngineSettings.Delivery = .exactlyOnce) -> [String] {
            var evidence = RouteEvidence(topics)
            for record in self.records { evidence.found(record) }
            var audit = RouteAudit(inputs, delivery: delivery)
            audit.check(self.conversions)
            audit.check(evidence, places: self.places)
            return audit.objections
        }

        mutating func remove(_ topic: String, last: Int = 1) {
            for _ in 0..<last {
                if let index = self.records.lastIndex(where: { $0.topic == topic }) {
                    self.records.remove(at: index)
                }
            }
        }
    }

    @Test func aRunInWhichAllIsWellIsClean() { #expect(Facts().objections() == []) }

    @Test func findsAConversionThatIsMissing() {
        var facts = Facts()
        facts.conversions.removeFirst()
        #expect(facts.objections() == ["upload 1 is 0 conversions at the Marketing API"])
    }

    /// A repeat under the same id was recognised; a second id is a second conversion.
    @Test func findsAConversionUnderASecondID() {
        var facts = Facts()
        facts.conversions[1].count = 2
        #expect(facts.objections() == [])
        var second = facts.conversions[1]
        second.outerActionID = "id-of-its-own"
        facts.conversions.append(second)
        #expect(facts.objections() == ["upload 2 is 2 conversions at the Marketing API"])
    }

    @Test func findsConversionsThatShareAnID() {
        var facts = Facts()
        facts.conversions[1].outerActionID = facts.conversions[0].outerActionID
        #expect(facts.objections() == ["1 conversions share an outer_action_id"])
    }

    /// A report that went elsewhere, and a callback that was decoded twice.
    @Test(arguments: ["", "3 a"])
    func findsACallbackThatWentElsewhere(callback: String) {
        var facts = Facts()
        facts.conversions[2].callback = callback
        #expect(facts.objections() == ["callback 3 went to the callback \"\(callback)\""])
    }

    @Test func findsAConversionThatWasRefusedAndOneOfNobody() {
        var facts = Facts()
        facts.conversions.append(Facts.conversion(5, .refused))
        facts.conversions.append(Facts.conversion(99, .upload))
        #expect(facts.objections().count == 2)
    }

    @Test func findsAnEventThatIsLostAndOneThatIsThereTwice() {
        var facts = Facts()
        facts.remove(Self.topics.events)
        #expect(facts.objections() == ["event 3 of upload 2 is not published"])
        facts = Facts()
        facts.addEvent(2, of: 1)
        #expect(facts.objections() == ["event 2 of upload 1 is published 2 times"])
    }

    @Test func findsAnOutcomeThatIsMissing() {
        var facts = Facts()
        facts.remove(Self.topics.reports)
        #expect(facts.objections() == ["refused 5 has no outcome"])
    }

    @Test func aSecondOutcomeIsAllowedWithAtLeastOnceOnly() {
        var facts = Facts()
        facts.addReport(of: 4)
        #expect(facts.objections(.atLeastOnce) == [])
        #expect(facts.objections() == ["input 4 has 2 outcomes"])
    }

    @Test func findsAnotherOutcome() {
        var facts = Facts()
        facts.remove(Self.topics.reports)
        facts.addReport(of: 5, fate: .succeeded)
        #expect(facts.objections() == ["refused 5 is succeeded"])
    }

    /// An upload that was written twice makes one duplicate, and only that does.
    @Test func countsDuplicatesAgainstRepeatedUploads() {
        var facts = Facts()
        facts.addUpload(1)
        #expect(facts.objections().count == 1)
        facts.addDuplicate()
        #expect(facts.objections() == [])
        facts.addDuplicate()
        #expect(facts.objections().count == 1)
    }

    @Test(arguments: [0, 2])
    func findsAnUploadWithoutOneOutcome(outcomes: Int) {
        var facts = Facts()
        facts.addUpload(1, outcomes: outcomes)
        facts.addDuplicate()
        #expect(facts.objections().count == 1)
    }

    @Test func findsADeadLetterAndATicketThatIsLeft() {
        var facts = Facts()
        facts.add(Self.topics.letters[1], [1])
        facts.add(Self.topics.parked, [1], key: "7")
        #expect(facts.objections().count == 2)
        facts.add(Self.topics.parked, nil, key: "7")
        #expect(facts.objections().count == 1)
    }
}
