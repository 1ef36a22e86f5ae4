import Fleet
import Foundation
import Harness
import Records
import ServiceKit
import Terminal
import UpstreamSimulator
import WireMessages

/// The demo of uploads: phones and the click feed call the gateway, the intake takes the uploads apart and
/// matches clicks, and a worker behind it reports to GDT, to the Marketing API and to callbacks.
///
/// The other activation worker of the demo consumes `activation` without an intake, so this intake has an
/// input topic of its own for activations.
final class UploadDemo: WorkerDemo {
    static let activations = "shop-activation"
    static let clicks = "activation-click"
    static let due = "activation.due"
    static let events = "sdk-events"

    let worker = WorkerIdentity(name: "activation-intake", topic: "sdk-upload", upstream: "")
    let upstream: String? = nil
    let results: any WorkerResult.Type = Flotilla_Activation_V1_ActivationResult.self
    let upstreamWords: [String] = []
    let counters = WorkerCounters.uploads
    let subject = "the gateway, the intake and the worker behind it"
    private let folder: TemporaryFolder
    private let accounts: UploadAccounts
    private var traffic: PhoneTraffic?
    private var steps = 0
    private(set) var told = ToldConversions()
    /// The URLs of the simulators of GDT and of the Marketing API.
    private var gdt = ""
    private var marketing = ""

    init(in folder: TemporaryFolder) throws(Complaint) {
        self.folder = folder
        self.accounts = try UploadAccounts(in: folder)
    }

    // MARK: - Programs

    var program: DemoProgram {
        DemoProgram(self.worker.name, of: Roster.activation.name, command: ["intake", "run"])
    }

    private static let gateway = DemoProgram("gateway", of: "gateway", command: ["run"])
    private static let reporter = DemoProgram(
        "worker-behind-it",
        of: Roster.activation.name,
        command: ["run"]
    )

    var companions: [DemoProgram] { [Self.gateway, Self.reporter] }

    var ownUpstreamWords: [String] { self.accounts.upstreamWords }

    func start(with ownUpstreams: [String]) {
        self.gdt = ownUpstreams.first ?? ""
        self.marketing = ownUpstreams.last ?? ""
    }

    func write(to name: String, brokers: String, upstream: String, worker: [String]) throws(Complaint) {
        let text = """
            kafka:
              brokers: \(brokers)
              topic: \(Self.activations)
              home_topic: activation.home
              due_topic: \(Self.due)
              result_topic: \(Roster.activation.resultTopic)
              fetch_wait: 10ms
            sdk:
              events_topic: \(Self.events)
              event_window: 3d
              apps:
            \(self.accounts.sources)
            clicks:
              topic: \(Self.clicks)
            attribution:
              report: match
              window: 3d
              patience: 2s
            duplicates:
              window: 7d
            state:
              commit_interval: 50ms
              \(worker.joined(separator: "\n  "))
            health:
              host: 127.0.0.1
              port: 0

            """
        try self.folder.write(text, to: name)
    }

    func settings(of companion: DemoProgram, brokers: String, crashes: String) -> String {
        guard companion == Self.gateway else {
            let kafka = [
                "topic: \(Self.due)", "result_topic: \(Roster.activation.resultTopic)",
                "group: \(companion.name)",
            ]
            return WorkerFile.common(
                brokers: brokers,
                kafka: kafka,
                worker: ["crash_folder: \(crashes)"]
            ) + self.accounts.routes(gdt: self.gdt, marketing: self.marketing)
        }
        return """
            kafka:
              brokers: \(brokers)
              partitioner: crc32
            gateway:
              host: 127.0.0.1
              port: 0
            health:
              host: 127.0.0.1
              port: 0

            """
    }

    // MARK: - Topics

    var resultTopics: [String] {
        [
            self.worker.resultTopic, Roster.activation.resultTopic, "\(Self.activations).dead-letter",
            "\(Self.due).dead-letter",
        ]
    }

    var postedTopics: [String] { [self.worker.topic] }

    var statementTopics: [String] { [Self.events] }

    var furtherTopics: [String] {
        [
            Self.activations, Self.clicks, Self.due, "\(Self.due).parked", "activation.home",
            "activation.home.changelog",
        ]
    }

    /// Outcomes of events of an upload, and of records of the other activation worker, are none of a sample.
    func isStatement(_ record: InboundRecord) -> Bool {
        if record.topic == Self.events || record.text("flotilla.event_id") != nil { return true }
        guard record.topic.hasSuffix(".result"), let told = ToldUpload(record) else { return false }
        return told.event != nil || told.outcome.id.hasPrefix("\(Roster.activation.topic)/")
    }

    func take(_ statement: InboundRecord) { self.told.take(statement) }

    func sighting(of record: InboundRecord) -> Sighting? { Sighting(intake: record) }

    var hasAllStatements: Bool {
        guard let traffic else { return false }
        return self.told.events.count >= traffic.eventCount
            && self.told.outcomes.count >= traffic.uploads.count { $0.activation != nil }
    }

    // MARK: - Steps

    func nextStep(now: Int64) -> DemoStep? {
        defer { self.steps += 1 }
        var traffic = self.traffic ?? PhoneTraffic(topic: self.worker.topic, now: now)
        defer { self.traffic = traffic }
        switch self.steps {
        case 0:
            let samples = traffic.everyForm()
            let prelude = traffic.clickFeed()
            return DemoStep(
                "Uploads of phones over HTTP, in every form: LZ4 is iOS, Snappy is Android",
                prelude: prelude,
                samples
            )
        case 1: return DemoStep("Other things that phones send", traffic.oddities())
        case 2:
            return DemoStep(
                "An app on the Marketing API, and callbacks of clicks",
                traffic.ofTheShop(callbackTo: self.marketing)
            )
        default: return nil
        }
    }

    // MARK: - The end

    func closingLines(width: Int) -> [String] {
        guard let traffic, let upload = traffic.uploads.first else { return [] }
        let types = upload.types.map(\.name).joined(separator: ", ")
        return ["This became of \"\(upload.title)\""]
            + ["  \(types): each is on \(Self.events) once"]
            + self.told.lines(about: upload, again: traffic.uploads.first { $0.title == PhoneTraffic.again })
    }

    var questions: [String] {
        [
            "\(self.gdt)/control/stats", "\(self.gdt)/control/accepted", "\(self.marketing)/control/stats",
            "\(self.marketing)/control/conversions",
        ]
    }

    func claims(_ register: Register, _ answers: UpstreamAnswers) -> [Claim] {
        guard let traffic else {
            return [Claim(text: "uploads were posted", objections: ["there were none"])]
        }
        let audit = UploadAudit(traffic: traffic, told: self.told, register: register)
        return [
            audit.events, audit.activations,
            audit.reports(answers.read([AcceptedReport].self, at: self.questions[1])),
            audit.conversions(answers.read([MarketingSimulator.Conversion].self, at: self.questions[3])),
            audit.requests(answers.read(MarketingSimulator.Stats.self, at: self.questions[2])),
        ]
    }
}
