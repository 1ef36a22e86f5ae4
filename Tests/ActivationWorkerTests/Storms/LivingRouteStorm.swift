import Operations
import Records
import ServiceKit
import WireFormats
import WorkerKit

@testable import ActivationWorker
@testable import FlotillaWorkerTestKit
@testable import Simulation

/// A storm in which the engine that ships plays the activation worker on Tencent's living interfaces.
final class LivingRouteStorm {
    let tencent: TencentInStorm
    let storm: Storm
    private let report = ConversionInStorm.report.sample(9)

    init(seed: UInt64, _ kinds: [(ConversionInStorm, Int)]) throws {
        let tencent = TencentInStorm(seed: seed)
        // In the order of partitions a bad action holds up all others of its partition. None of them can show
        // that the configuration is well, and the lane stays held until the action expires.
        let isStrict = Storm(seed: seed).simulation.settings.ordering == .partition
        let samples = kinds.filter { !isStrict || $0.0 != .badReport }.map { $0.0.sample($0.1) }
        let subject = StormSubject(
            handler: ErasedHandler(RehearsedHandler(base: try Self.handler())),
            samples: samples,
            sharesRequests: true,
            waitsAlone: { $0.lane.contains("/callback/") }
        ) { tencent.reply(to: $0, after: $1) }
        self.tencent = tencent
        self.storm = Storm(seed: seed, of: subject)
        tencent.clock = self.storm.simulation.clock
    }

    /// The worker with one app on these routes. One request is in flight, so that others fill the next.
    private static func handler() throws -> ActivationHandler {
        let app = MarketingSettings.App(
            actionSetID: TencentInStorm.actionSetID,
            token: .fixed(Secret(TencentInStorm.token), path: nil),
            takesCallbacks: true
        )
        let account = GDTAccount(appID: 112_233, advertiserID: TencentInStorm.accountID)
        let marketing = MarketingSettings(
            baseURL: try BaseURL(UserActionTarget.standardURL),
            tokenURL: try BaseURL(TokenPair.standardURL),
            requestsLimit: 1,
            apps: [account: app]
        )
        return ActivationHandler(ActivationSettings(keys: [:], marketing: marketing))
    }

    /// Runs to the end.
    ///
    /// - Returns: a description of each broken promise; empty if there is none.
    func run() -> [String] {
        self.storm.simulation.after(self.storm.calmAfter) { [unowned self] in self.publishOn() }
        let complaints = self.storm.run()
        return complaints.isEmpty ? LivingRouteAudit(self.storm.cluster, self.tencent).complaints : complaints
    }

    /// Publishes an honest conversion every 20 s until all others are settled. Without one, the last bad actions look
    /// like a fault of our configuration, and their lane is held.
    private func publishOn() {
        let cluster = self.storm.cluster
        guard !self.storm.plan.isHurried, !cluster.isEverythingSettled else { return }
        let offset = cluster.append(
            InboundRecord(
                topic: SimulatedCluster.topic,
                partition: 0,
                offset: cluster.end(of: 0),
                timestamp: cluster.clock.now.wall,
                key: self.report.key,
                value: self.report.value,
                headers: self.report.headers
            )
        )
        self.storm.ends[RecordName(partition: 0, offset: offset)] = self.report.ends
        self.storm.simulation.after(.seconds(20)) { [unowned self] in self.publishOn() }
    }
}
