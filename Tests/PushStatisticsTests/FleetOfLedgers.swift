import WireFormats

@testable import PushStatistics

/// Ledgers and a combination as workers have them, without Kafka between.
final class FleetOfLedgers {
    private(set) var ledgers: [ArrivalLedger]
    /// The entries that each ledger has written, to be read back.
    private(set) var changelogs: [[[UInt8]]]
    private let rules: CohortRules
    private let combination = Combination(pace: .init(first: .zero))
    private(set) var statistics: [CohortKey: PushStatisticsRecord] = [:]
    private(set) var versions: [CohortKey: [Int64]] = [:]

    init(partitions: Int, rules: CohortRules) {
        self.rules = rules
        self.ledgers = (0..<partitions).map { Self.ledger(Int32($0), rules) }
        self.changelogs = [[[UInt8]]](repeating: [], count: partitions)
    }

    private static func ledger(_ source: Int32, _ rules: CohortRules) -> ArrivalLedger {
        ArrivalLedger(
            source: source,
            rules: rules,
            pace: .init(first: .zero),
            seed: .random(in: .min ... .max)
        )
    }

    /// Everything of a device goes to one partition.
    private func partition(of device: String) -> Int {
        Int(
            device.utf8.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
                % UInt32(self.ledgers.count)
        )
    }

    @discardableResult
    func count(_ event: PushEvent, now: Int64) -> Judgement {
        self.ledgers[self.partition(of: event.deviceID)].count(event, now: now)
    }

    /// Writes what is new, and tells what is due.
    func collect(now: Int64, progress: Int64? = nil) {
        for (index, ledger) in self.ledgers.enumerated() {
            ledger.collect(now: now, progress: progress ?? now) {
                self.changelogs[index].append($0.encoded())
            } part: { part in
                guard let part = CohortSnapshot(part.encoded()) else { return }
                self.combination.take(part, now: now)
            }
        }
        self.combination.collect(now: now) { key, statistics in
            self.statistics[key] = statistics
            self.versions[key, default: []].append(statistics.version)
        }
    }

    /// Ends a worker, and begins another with what it has written.
    func restart(_ index: Int, now: Int64) {
        let ledger = Self.ledger(Int32(index), self.rules)
        for bytes in self.changelogs[index] {
            guard let change = CohortSnapshot(bytes) else { continue }
            ledger.restore(change)
        }
        ledger.restored(now: now)
        self.ledgers[index] = ledger
    }
}
