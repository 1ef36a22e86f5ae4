import Fleet
import Foundation
import Records
import ServiceKit
import Testing
import WireFormats

@testable import Harness
@testable import Rehearsal
@testable import Trials

/// The parts of the demo, as far as they go without a process.
struct WorkerDemoTests {
    private static func demos(in folder: TemporaryFolder) throws -> [any WorkerDemo] {
        [
            try ActivationDemo(in: folder), try DeviceCheckDemo(in: folder), try ReceiptDemo(in: folder),
            PushArrivalDemo(in: folder),
        ]
    }

    private static func steps(of demo: any WorkerDemo) -> [DemoStep] {
        var steps: [DemoStep] = []
        while let step = demo.nextStep(now: 1_763_000_000_000) { steps.append(step) }
        return steps
    }

    /// A worker that joins the roster is to be seen in the demo, or this says so.
    @Test func everyWorkerOfTheFleetHasAnAct() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let demos = try Self.demos(in: folder)
        #expect(demos.map(\.worker.name) == Roster.workers.map(\.name))
    }

    /// Each part shows a success, a final no, a dead letter without a call, and a retry, if its worker calls anybody; and
    /// no row is cut on a terminal of 100 columns.
    @Test func everyActShowsEveryEnding() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        for demo in try Self.demos(in: folder) {
            let samples = Self.steps(of: demo).flatMap(\.samples)
            for fate in ["succeeded", "rejected", "dead_lettered"] {
                #expect(samples.contains { $0.fate.rawValue == fate }, "\(demo.name): \(fate)")
            }
            #expect(samples.contains { $0.kind != nil && $0.calls.upperBound == 0 }, "\(demo.name)")
            #expect(
                samples.contains { $0.calls.lowerBound > 1 + $0.followUps } == (demo.upstream != nil),
                "\(demo.name)"
            )
            for sample in samples {
                #expect(sample.title.count <= 28, "\(sample.title)")
                #expect((sample.reason ?? sample.detail ?? "").count <= 30, "\(sample.title)")
                #expect((sample.word ?? "").count <= 13, "\(sample.title)")
                #expect(sample.record.topic == demo.worker.topic)
            }
        }
    }

    @Test func nothingIsLeftOfItsFolder() throws {
        let folder = try TemporaryFolder()
        for demo in try Self.demos(in: folder) {
            try demo.write(
                to: "\(demo.name).yaml",
                brokers: "b:1",
                upstream: "http://127.0.0.1:1",
                worker: []
            )
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(names.count == 12)
        for name in names {
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.file(name))
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
        }
        folder.remove()
        #expect(!FileManager.default.fileExists(atPath: folder.path))
    }

    /// Two runs have nothing secret in common.
    @Test func keysAreOfOneRunOnly() throws {
        let (one, other) = (try TemporaryFolder(), try TemporaryFolder())
        defer {
            one.remove()
            other.remove()
        }
        _ = try Self.demos(in: one)
        _ = try Self.demos(in: other)
        let secrets = [
            "gdt-sign-key", "gdt-encrypt-key", "devicecheck-key.p8", "receipt-key.p8",
            "receipt-shared-secret",
        ]
        for name in secrets {
            #expect(try SmallFile.read(one.file(name)) != SmallFile.read(other.file(name)), "\(name)")
        }
    }

    @Test(arguments: [
        (#"[]"#, 5),
        (
            #"""
            [{"team":"t","environment":"production","device":"anna","bit0":true,"bit1":true,"month":"","updates":1},
            {"team":"t","environment":"development","device":"anna","bit0":true,"bit1":true,"month":"","updates":1},
            {"team":"t","environment":"production","device":"ben","bit0":true,"bit1":true,"month":"","updates":1},
            {"team":"t","environment":"production","device":"dora","bit0":true,"bit1":true,"month":"","updates":1},
            {"team":"t","environment":"production","device":"mia","bit0":true,"bit1":false,"month":"","updates":1},
            {"team":"t","environment":"production","device":"zoe","bit0":true,"bit1":true,"month":"","updates":1}]
            """#, 2
        ),
    ])
    func findsBitsThatNobodyHasSetSo(bits: String, objections: Int) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let demo = try DeviceCheckDemo(in: folder)
        _ = Self.steps(of: demo)
        var answers = UpstreamAnswers()
        answers.bodies["/control/bits"] = Array(bits.utf8)
        let claims = demo.claims(Register(demo.results), answers)
        #expect(claims.flatMap(\.objections).count == objections, "\(claims)")
        #expect(demo.claims(Register(demo.results), UpstreamAnswers()).first?.objections.isEmpty == false)
    }
}
