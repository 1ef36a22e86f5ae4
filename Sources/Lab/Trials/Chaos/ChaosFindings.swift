import Harness
import WorkerKit

/// The counts of an audit, and the first objections of each kind.
struct ChaosFindings {
    /// The kinds of objection.
    enum Matter: CaseIterable, Hashable, Sendable {
        case lost, undelivered, wrongFate, repeatedOutcome, outcomeOutOfOrder, callOutOfOrder, strangeCall
        case repeatedLetter, strayLetter, wrongLetter, riddle, misordered
        /// A worker exited by itself, or did not stop as it should.
        case worker
        /// The consumer group has not committed all records.
        case lag
        /// No worker was seen to process a partition again after a kill.
        case orphaned
        /// A record is still parked at the end of the run.
        case parked
        /// A worker stood still and called itself ready.
        case silent
        /// The records of honest users took too long beside an adversary.
        case late
        /// The workers took too long to read new partitions.
        case notTakenUp
        /// A harm of the adversary could not be done, so the run says nothing about it.
        case harmNotDone
    }

    /// The number of sentences that are kept for each kind of objection. Further ones are only counted.
    private static let sentencesLimit = 8

    /// All calls that GDT received.
    var calls = 0
    /// Calls for records for which GDT had already given its final answer.
    var repeatedCalls = 0
    var outcomes = 0
    var letters = 0
    var fates: [String: Int] = [:]
    private var counts: [Matter: Int] = [:]
    private var sentences: [Matter: [String]] = [:]

    func count(_ matter: Matter) -> Int { self.counts[matter, default: 0] }

    /// Counts an objection, and keeps its sentence if there are few of its kind.
    mutating func note(_ matter: Matter, _ sentence: String) {
        let count = self.counts[matter, default: 0] + 1
        self.counts[matter] = count
        if count <= Self.sentencesLimit { self.sentences[matter, default: []].append(sentence) }
    }

    /// The objections as sentences; empty if there are none. With at-least-once delivery, repeated outcomes
    /// and letters are allowed.
    func objections(_ delivery: EngineSettings.Delivery) -> [String] {
        Matter.allCases.flatMap { matter -> [String] in
            let isAllowed = delivery == .atLeastOnce && [.repeatedOutcome, .repeatedLetter].contains(matter)
            guard !isAllowed, let first = self.sentences[matter] else { return [] }
            let rest = self.count(matter) - first.count
            return first + (rest > 0 ? ["… and \(rest) more like the last"] : [])
        }
    }
}
