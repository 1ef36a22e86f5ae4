import Fleet
import Harness
import Records
import ServiceKit
import Terminal
import UpstreamSimulator
import WireMessages
import WorkerKit

/// The demo of the activation worker: conversions for GDT, which is down for a while in the middle.
final class ActivationDemo: WorkerDemo {
    static let recordsOfOutage = 50
    private static let outage = Duration.seconds(3)

    let worker = Roster.activation
    let upstream: String? = "GDT"
    let results: any WorkerResult.Type = Flotilla_Activation_V1_ActivationResult.self
    private let file: WorkerFile
    private var make = Activations(topic: Roster.activation.topic, now: 0)
    private var steps = 0

    init(in folder: TemporaryFolder) throws(Complaint) { self.file = try WorkerFile(in: folder) }

    var upstreamWords: [String] { ["--scripted", "--keys", self.file.upstreamKeysPath] }

    func write(to name: String, brokers: String, upstream: String, worker: [String]) throws(Complaint) {
        try self.file.write(to: name, brokers: brokers, upstream: upstream, worker: worker)
    }

    /// The workers behind the intake write to the same result topic.
    func isStatement(_ record: InboundRecord) -> Bool {
        guard record.topic == self.worker.resultTopic, let sighting = self.sighting(of: record) else {
            return false
        }
        return !sighting.place.hasPrefix("\(self.worker.topic)/")
    }

    func nextStep(now: Int64) -> DemoStep? {
        defer { self.steps += 1 }
        switch self.steps {
        case 0:
            self.make = Activations(topic: self.worker.topic, now: now)
            return DemoStep("Good records, in every type and form", Samples.good(&self.make))
        case 1: return DemoStep("Wrong records: dead letters, and no call", Samples.malformed(&self.make))
        case 2: return DemoStep("A final no: by the worker's rules, or by GDT", Samples.refused(&self.make))
        case 3: return DemoStep("Trouble on the way: try again when due", Samples.retried(&self.make))
        case 4:
            return DemoStep(
                "GDT is down for \(Self.outage.shown): nothing is lost, and nothing is dead",
                outage: Self.outage,
                Samples.steady(Self.recordsOfOutage, &self.make)
            )
        default: return nil
        }
    }

    func claims(_ register: Register, _ answers: UpstreamAnswers) -> [Claim] {
        let distinct = register.entries.count { $0.sample.accepted > 0 }
        var claim = Claim(text: "GDT has every conversion that succeeded, and no other", objections: [])
        let stats = answers.read(SimulatorStats.self, at: UpstreamAnswers.stats)
        if stats?.distinctAccepted != distinct {
            let found = stats.map { String($0.distinctAccepted) } ?? "nobody knows how many"
            claim.objections = ["GDT accepted \(found) conversions instead of \(distinct)"]
        }
        return [claim]
    }

    func remarks(_ register: Register, _ answers: UpstreamAnswers) -> [String] {
        let stats = answers.read(SimulatorStats.self, at: UpstreamAnswers.stats)
        guard let stats, stats.duplicates > 0 else { return [] }
        let titles = register.entries.filter { $0.sample.accepted > 1 }.map { "\"\($0.sample.title)\"" }
        return [
            "GDT has counted \(stats.duplicates) twice: \(titles.joined(separator: ", ")).",
            "  It had accepted them and the answer was lost; its API has no key to know a repeat by.",
        ]
    }
}
