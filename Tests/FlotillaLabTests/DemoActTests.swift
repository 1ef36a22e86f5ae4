import Fleet
import Foundation
import Records
import Testing
import WireFormats
import WorkerKit

@testable import FlotillaLab

/// The acts of the demo, as far as they go without a process.
struct DemoActTests {
    private static func acts(in folder: TemporaryFolder) throws -> [any Act] {
        [
            try ActivationAct(in: folder), try DeviceCheckAct(in: folder), try ReceiptAct(in: folder),
            PushArrivalAct(in: folder),
        ]
    }

    private static func scenes(of act: any Act) -> [Scene] {
        var scenes: [Scene] = []
        while let scene = act.nextScene(now: 1_763_000_000_000) { scenes.append(scene) }
        return scenes
    }

    /// A worker that joins the roster is to be seen in the demo, or this says so.
    @Test func everyWorkerOfTheFleetHasAnAct() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let acts = try Self.acts(in: folder)
        #expect(acts.map(\.worker.name) == Roster.workers.map(\.name))
    }

    /// Each act shows a success, a final no, a dead letter without a call, and a retry, if its worker calls anybody; and
    /// no row is cut on a terminal of 100 columns.
    @Test func everyActShowsEveryEnding() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        for act in try Self.acts(in: folder) {
            let specimens = Self.scenes(of: act).flatMap(\.specimens)
            for fate in ["succeeded", "rejected", "dead_lettered"] {
                #expect(specimens.contains { $0.fate.rawValue == fate }, "\(act.name): \(fate)")
            }
            #expect(specimens.contains { $0.kind != nil && $0.calls.upperBound == 0 }, "\(act.name)")
            #expect(
                specimens.contains { $0.calls.lowerBound > 1 + $0.followUps } == (act.upstream != nil),
                "\(act.name)"
            )
            for specimen in specimens {
                #expect(specimen.title.count <= 28, "\(specimen.title)")
                #expect((specimen.reason ?? specimen.detail ?? "").count <= 30, "\(specimen.title)")
                #expect((specimen.word ?? "").count <= 13, "\(specimen.title)")
                #expect(specimen.record.topic == act.worker.topic)
            }
        }
    }

    @Test func nothingIsLeftOfItsFolder() throws {
        let folder = try TemporaryFolder()
        for act in try Self.acts(in: folder) {
            try act.write(to: "\(act.name).yaml", brokers: "b:1", upstream: "http://127.0.0.1:1", worker: [])
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
        _ = try Self.acts(in: one)
        _ = try Self.acts(in: other)
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
        let act = try DeviceCheckAct(in: folder)
        _ = Self.scenes(of: act)
        var answers = UpstreamAnswers()
        answers.bodies["/control/bits"] = Array(bits.utf8)
        let claims = act.claims(Register(act.results), answers)
        #expect(claims.flatMap(\.objections).count == objections, "\(claims)")
        #expect(act.claims(Register(act.results), UpstreamAnswers()).first?.objections.isEmpty == false)
    }
}
