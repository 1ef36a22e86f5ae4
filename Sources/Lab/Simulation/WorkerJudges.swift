import Kafka
import Records
import ServiceKit
import WireFormats
import WorkerKit

/// The judges of one worker process. Each is told what the engine does, and answers with a sentence where a
/// promise is broken.
struct WorkerJudges {
    var hand: HandJudge
    var drain: DrainJudge
    private var rate: RateJudge?
    private var sideRate: RateJudge?
    private var letters: LetterJudge
    private let ordering: EngineSettings.Ordering

    init(_ settings: EngineSettings, sideRate: RateLimit.Settings?) {
        self.hand = HandJudge(settings)
        self.drain = DrainJudge(settings)
        self.rate = settings.rate.map { RateJudge($0) }
        self.sideRate = sideRate.map { RateJudge($0) }
        self.letters = LetterJudge(settings.budget)
        self.ordering = settings.ordering
    }

    /// Begins anew with a share of all partitions.
    mutating func assigned(_ positions: [CommittedPosition], in cluster: SimulatedCluster) {
        // The engine may begin to read before the committed offset.
        self.hand.startAnew(from: positions.map { cluster.stored[$0.partition] ?? $0 }, in: cluster.id)
        self.letters.startAnew()
        let share = Double(positions.count) / Double(max(1, cluster.logs.count))
        let now = cluster.clock.now.monotonic
        self.rate?.shareChanged(to: share, at: now)
        self.sideRate?.shareChanged(to: share, at: now)
    }

    /// Ends all that concerns partitions, which were given up.
    mutating func unassigned(in cluster: SimulatedCluster) -> String? {
        let late = self.drain.partitionsGivenUp(at: cluster.clock.now.monotonic)
        self.hand.startAnew(from: [], in: cluster.id)
        self.letters.startAnew()
        return late.map { "partitions are given up \($0) ns late" }
    }

    mutating func ended(at now: Int64) -> String? {
        self.drain.ended(at: now).map { "a worker that was stopped ends \($0) ns late" }
    }

    /// Checks a call that begins now against the rate limits.
    mutating func called(_ call: SimulatedUpstream.Call, at now: Int64) -> [String] {
        // Calls that were handed to a batch at the right times are sent together.
        guard !call.isJoined else { return [] }
        var complaints: [String] = []
        if let isAdmitted = self.rate?.callBegan(at: now), !isAdmitted, !call.isFollowUp {
            complaints.append("\(call) is more than its share of the rate")
        }
        // The rate of an endpoint includes follow-up calls.
        if call.endpoint == .side, self.sideRate?.callBegan(at: now) == false {
            complaints.append("\(call) is more than its share of the endpoint's rate")
        }
        return complaints
    }

    /// Checks a record that is sent now outside transactions.
    mutating func sent(_ record: OutboundRecord, in cluster: SimulatedCluster) -> [String] {
        let beyond = self.complaint(aboutBudget: record, at: cluster.clock.now.monotonic)
        let late = self.complaint(aboutExpiry: record, in: cluster)
        return [beyond, late].compactMap { $0 }
    }

    private mutating func complaint(aboutBudget record: OutboundRecord, at now: Int64) -> String? {
        guard let id = record.text("dlq.id"),
            let count = self.letters.sent(id, of: record.budgetAccount, at: now)
        else { return nil }
        return "\(count) dead letters are more than the budget allows"
    }

    /// Checks that a record in hand expires in time. Records that wait for others of their order are not
    /// checked.
    private mutating func complaint(
        aboutExpiry record: OutboundRecord,
        in cluster: SimulatedCluster
    ) -> String? {
        guard let outcome = SimulatedOutcome(record) else { return nil }
        let waitsForNobody = self.ordering == .none || self.ordering == .key && record.key == nil
        guard let since = self.hand.outcomeSent(outcome.name), outcome.fate == "expired", waitsForNobody,
            !self.drain.hasBeenFrozen, !cluster.clock.hasBeenStepped,
            let deadline = cluster.deadline(outcome.offset, in: outcome.partition), deadline < .max
        else { return nil }
        let held = Duration.nanoseconds(cluster.clock.now.monotonic - since)
        let late = min(.milliseconds(cluster.clock.now.wall.addingClamped(-deadline)), held)
        let limit = cluster.isJoined(outcome.name) ? Self.joinedExpiryLimit : Self.expiryLimit
        return late > limit ? "\(outcome.id) expires \(late) after its deadline" : nil
    }

    /// The longest delay of an expiry: the time of two calls and of two sweeps over all records in hand.
    private static let expiryLimit = Duration.seconds(12)
    /// The longest delay of an expiry where calls share requests: a request that is split again and again has
    /// as many calls after it as a batch can have halves.
    private static let joinedExpiryLimit = Duration.seconds(60)
}
