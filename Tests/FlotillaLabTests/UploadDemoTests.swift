import Foundation
import Records
import ServiceKit
import Testing
import UpstreamSimulator
import WireFormats

@testable import Harness
@testable import Rehearsal

/// The demo's part about uploads, as far as it goes without a process.
struct UploadDemoTests {
    private static let now: Int64 = 1_763_000_000_000

    private static func steps(of demo: UploadDemo) -> [DemoStep] {
        var steps: [DemoStep] = []
        while let step = demo.nextStep(now: self.now) { steps.append(step) }
        return steps
    }

    /// Each form is posted, and no row is cut on a terminal of 100 columns.
    @Test func everyFormIsPosted() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let steps = Self.steps(of: try UploadDemo(in: folder))
        let titles = steps.flatMap(\.samples).map(\.title)
        for form in UploadForm.all { #expect(titles.contains(form.name)) }
        #expect(steps.first?.prelude?.posts.isEmpty == false)
        for sample in steps.flatMap(\.samples) {
            #expect(sample.title.count <= 28, "\(sample.title)")
            #expect((sample.reason ?? sample.detail ?? "").count <= 30, "\(sample.title)")
        }
    }

    /// The phones' own code and the workers' codec understand each other, in every form.
    @Test(arguments: UploadForm.all)
    func theCodecReadsEveryFormOfThePhones(form: UploadForm) throws {
        let phone = Phone(7, dataSource: "source", isAndroid: form.compression == .snappy)
        let types: [PhoneEvent] = [.visit, .activate("$app_activation"), .page, .viewClick, .custom]
        let body = form.body(of: PhoneEvents(types, of: phone, from: Self.now), stm: Self.now + 3)
        let request = SDKUploadRequest(
            target: "/v3/projects/a/collect?stm=\(Self.now + 3)",
            headers: form.headers,
            body: body
        )
        let upload = try SDKUpload(decoding: request)
        #expect(upload.events.map(\.type.name) == types.map(\.name))
        let activation = try #require(upload.events.compactMap { SDKActivation($0, account: "a") }.first)
        #expect((activation.idfa ?? activation.imei) == phone.identifier.text)
        #expect(activation.deviceID == phone.deviceID)
    }

    /// Nothing has been told yet, and no claim takes that for a yes.
    @Test func nothingToldIsNoYes() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let demo = try UploadDemo(in: folder)
        _ = Self.steps(of: demo)
        #expect(!demo.hasAllStatements)
        let claims = demo.claims(Register { demo.sighting(of: $0) }, UpstreamAnswers())
        #expect(claims.count == 5 && claims.allSatisfy { !$0.objections.isEmpty }, "\(claims)")
    }

    /// A record that the gateway makes of a request is found in the input topic, and its outcome by its place.
    @Test func aPostedSampleIsFoundInItsTopic() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let demo = try UploadDemo(in: folder)
        let sample = try #require(demo.nextStep(now: Self.now)?.samples.first)
        let post = try #require(sample.post)
        var register = Register { demo.sighting(of: $0) }
        _ = register.published(sample)
        func record(_ topic: String, _ value: [UInt8]?, _ headers: [RecordHeader] = []) -> InboundRecord {
            InboundRecord(
                topic: topic,
                partition: 2,
                offset: 5,
                timestamp: nil,
                key: nil,
                value: value,
                headers: headers
            )
        }
        register.taken(record(demo.worker.topic, [1, 2], [RecordHeader("upload.target", post.target)]))
        #expect(register.entries[0].place == nil)
        let outcome = """
            {"outcome":{"id":"sdk-upload/2/5","fate":"succeeded","attempts":0},\
            "upload":{"events":5,"dropped":0,"activations":1}}
            """
        register.arrived(record("sdk-upload.result", Array(outcome.utf8)))
        register.taken(record(demo.worker.topic, post.body, [RecordHeader("upload.target", post.target)]))
        #expect(register.entries[0].place == "sdk-upload/2/5")
        #expect(register.entries[0].objections == [])
    }

    /// Outcomes of events and those of the other activation worker are statements; those of uploads are not.
    @Test func tellsOutcomesApart() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let demo = try UploadDemo(in: folder)
        func isStatement(_ topic: String, _ id: String, _ more: String = "", event: String? = nil) -> Bool {
            let text = #"{"outcome":{"id":"\#(id)","fate":"succeeded","attempts":1}\#(more)}"#
            return demo.isStatement(
                InboundRecord(
                    topic: topic,
                    partition: 0,
                    offset: 0,
                    timestamp: nil,
                    key: nil,
                    value: Array(text.utf8),
                    headers: event.map { [RecordHeader("flotilla.event_id", $0)] } ?? []
                )
            )
        }
        #expect(!isStatement("sdk-upload.result", "sdk-upload/0/1"))
        #expect(
            isStatement("sdk-upload.result", "sdk-upload/0/1", #","event":{"id":"e","eventType":"ACTIVATE"}"#)
        )
        #expect(isStatement("activation.result", "activation.due/0/1", event: "e"))
        #expect(isStatement("activation.result", "activation/0/1"))
        #expect(!isStatement("activation.result", "activation.due/0/1"))
    }
}
