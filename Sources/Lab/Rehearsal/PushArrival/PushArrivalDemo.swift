import Fleet
import Harness
import Records
import ServiceKit
import Terminal
import WireMessages

/// The demo of the push-arrival worker: a campaign of yesterday, and the events that its devices have
/// reported since. The worker calls no upstream; it computes statistics.
final class PushArrivalDemo: WorkerDemo {
    let worker = Roster.pushArrival
    let upstream: String? = nil
    let results: any WorkerResult.Type = Flotilla_Pusharrival_V1_PushArrivalResult.self
    let upstreamWords: [String] = []
    let counters = WorkerCounters.events
    private let folder: TemporaryFolder
    private var campaign: PushCampaign?
    private var told = ToldStatistics()

    init(in folder: TemporaryFolder) { self.folder = folder }

    func write(to name: String, brokers: String, upstream: String, worker: [String]) throws(Complaint) {
        // The demo publishes through librdkafka, whose default partitioner is CRC32. A message is complete as
        // soon as no event has been reported for the grace time, because the lateness of yesterday's campaign
        // is over.
        let text = """
            kafka:
              brokers: \(brokers)
              fetch_wait: 10ms
              partitioner: crc32
            push:
              apps: [\(PushCampaign.app)]
              allowed_lateness: \(PushCampaign.allowedLatenessHours)h
              grace: 4s
            statistics:
              interval: 500ms
            state:
              \(worker.joined(separator: "\n  "))
            health:
              host: 127.0.0.1
              port: 0
            dashboard:
              port: 0

            """
        try self.folder.write(text, to: name)
    }

    func nextStep(now: Int64) -> DemoStep? {
        guard self.campaign == nil else { return nil }
        var campaign = PushCampaign(topic: self.worker.topic, now: now)
        let samples = campaign.crowd() + campaign.oddities()
        self.campaign = campaign
        return DemoStep("A campaign of yesterday, and what is reported beside it", samples)
    }

    // MARK: - Statistics

    private var statisticsTopic: String { "\(self.worker.topic).stats" }

    var statementTopics: [String] { [self.statisticsTopic] }

    /// One record of the campaign is a report that a phone posts to the gateway.
    var postedTopics: [String] { [self.worker.topic] }

    func take(_ statement: InboundRecord) { self.told.take(statement) }

    var hasAllStatements: Bool {
        guard let campaign else { return false }
        return campaign.expected.allSatisfy { message, count in
            self.told.latest[message].map { $0.complete || !count.isOver } ?? false
        }
    }

    func closingLines(width: Int) -> [String] {
        guard let statistics = self.told.latest[PushCampaign.message] else { return [] }
        return Funnel(statistics).lines(width: width)
    }

    func claims(_ register: Register, _ answers: UpstreamAnswers) -> [Claim] {
        let expected = self.campaign?.expected ?? [:]
        var final = Claim(
            text: "the statistics of \(expected.count) messages are those of what was published",
            objections: self.told.riddles.map { "\($0) is no statistics" }
        )
        for (message, count) in expected.sorted(by: { $0.key < $1.key }) {
            final.objections += count.objections(to: self.told.latest[message]).map {
                "the statistics of \(message) \($0)"
            }
        }
        for stranger in self.told.latest.keys.sorted() where expected[stranger] == nil {
            final.objections.append("there are statistics of \(stranger), which was not sent")
        }
        let order = Claim(
            text: "versions of a message's statistics only grow, and its last is complete",
            objections: self.told.disorder
        )
        return [final, order]
    }
}
