import ActivationIntake
import Operations
import ServiceKit
import StreamKit

/// The properties of a whole run of intakes with an adversary, drawn once from its seed.
struct IntakePlan {
    var setup = StreamSetup()
    var kinds: Set<AdversaryKind>
    var workers: Int
    /// The time in which honest phones upload, and in which there are faults.
    var length: Duration
    /// The honest phones per second.
    var perSecond: Int
    /// The harmful records per second of a flood.
    var floodPerSecond: Int
    /// Whether only activations that a click has led to are reported.
    var matchesClicks: Bool
    /// Whether the floods are larger than the memory, so that the oldest is forgotten.
    var isTight: Bool
    /// The longest time until a transaction marker is written.
    var markerDelay: Duration

    init(of kinds: Set<AdversaryKind>, using random: inout SplitMix64) {
        self.kinds = AdversaryKind.drawn(
            from: AdversaryKind.ofIntake.filter { kinds.contains($0) },
            using: &random
        )
        self.workers = .random(in: 1...2, using: &random)
        self.length = .seconds(Int.random(in: 40...90, using: &random))
        self.perSecond = .random(in: 2...5, using: &random)
        self.floodPerSecond = .random(in: 20...40, using: &random)
        // After a takeover, uploads that were published meanwhile are read at once. A first upload can be forgotten
        // before its repetition is read.
        let hasTakeovers = !self.kinds.isDisjoint(with: [.kills, .freezes])
        self.matchesClicks = Int.random(in: 0..<3, using: &random) > 0
        // Large activations that wait for their clicks take more memory than all that is counted below.
        self.isTight = Bool.random(using: &random) && !hasTakeovers && !self.kinds.contains(.sizes)
        self.markerDelay = .milliseconds(Int.random(in: 5...500, using: &random))
        self.setup.partitions = .random(in: 1...3, using: &random)
        self.setup.settings.commitInterval = .milliseconds(Int.random(in: 20...900, using: &random))
        // Half of the tight limit is what the floods bring in a quarter of a minute or more, beside what honest
        // phones leave in the whole run: they come back in a third of that time. A click takes two places, one by its
        // device and one by its id.
        let entries =
            2_400 * (self.kinds.contains(.inventedPhones) ? 1 : 0)
            + 4_800 * (self.kinds.contains(.unmatchedClicks) ? 1 : 0)
            + 4_800 * (self.kinds.contains(.oneClient) ? 1 : 0) + Self.entriesOfPhones
        self.setup.settings.memoryLimit = self.isTight ? Self.entryBytes * entries : 64 << 20
        self.setup.messageLimit = AdversaryPlan.messageLimit
        self.setup.reportLimit = .seconds(1)
        self.setup.commitLimit = .seconds(16)
        self.setup.isPunctual = false
    }

    /// The bytes that a remembered thing takes.
    private static let entryBytes = 165
    /// Twice what 450 honest phones leave: some events, two places for a click, a conversion.
    private static let entriesOfPhones = 4_500
    /// How long an activation waits for its click. After a takeover, uploads and clicks that were published meanwhile
    /// are read side by side, or by two workers, one of which is behind.
    private static let patience = Duration.seconds(30)

    /// The longest time in which a rebalance keeps all workers from settling records, including the time to
    /// read the state back.
    let rebalance = Duration.seconds(6)

    /// The time from the death of a worker until the group has replaced it, including the time until its open
    /// transactions expire.
    var takeover: Duration { .seconds(16) + self.rebalance }

    /// The settings of the intake. The names of the topics are those of the simulated cluster.
    func settings() throws -> IntakeSettings {
        let text = """
            kafka: {brokers: "simulated:1", topic: \(SimulatedCluster.topic), message_limit: \(Self.messageLimit)}
            sdk:
              events_topic: sdk-events
              apps:
                - account: \(SimulatedPhone.account)
                  data_source: \(SimulatedPhone.dataSource)
                  app_id: 112233
                  advertiser_id: 10000
                  app_type: IOS
            attribution:
              report: \(self.matchesClicks ? "match" : "all")
              patience: \(Self.patience.wholeMilliseconds)ms
            """
        let reader = SettingsReader(file: try SettingsFile(text: text, path: "simulated"), overrides: [])
        let settings = IntakeSettings(reader)
        try reader.finish()
        return settings
    }

    private static let messageLimit = AdversaryPlan.messageLimit
}
