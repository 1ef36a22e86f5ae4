import WorkerKit

/// What an audit has counted, and the first few sentences about what it objects to.
struct ChaosFindings {
    enum Matter: CaseIterable, Hashable, Sendable {
        case lost, undelivered, wrongFate, repeatedOutcome, outcomeOutOfOrder, callOutOfOrder, strangeCall
        case repeatedLetter, strayLetter, wrongLetter, riddle, misordered
        /// A worker ended by itself, or not as it should.
        case worker
        /// The group has not committed all of it.
        case lag
        /// A partition was not seen to be worked again after a kill.
        case orphaned
        /// A record is still put aside when all is over.
        case parked
        /// Honest users wait too long beside an adversary.
        case late
    }

    private static let sentencesLimit = 8

    var calls = 0
    /// Calls for records about which GDT had said its last word.
    var repeatedCalls = 0
    var outcomes = 0
    var letters = 0
    var fates: [String: Int] = [:]
    private var counts: [Matter: Int] = [:]
    private var sentences: [Matter: [String]] = [:]

    func count(_ matter: Matter) -> Int { self.counts[matter, default: 0] }

    mutating func note(_ matter: Matter, _ sentence: String) {
        let count = self.counts[matter, default: 0] + 1
        self.counts[matter] = count
        if count <= Self.sentencesLimit { self.sentences[matter, default: []].append(sentence) }
    }

    /// What is broken, as sentences; empty if nothing is.
    func objections(_ delivery: EngineSettings.Delivery) -> [String] {
        Matter.allCases.flatMap { matter -> [String] in
            let isAllowed = delivery == .atLeastOnce && [.repeatedOutcome, .repeatedLetter].contains(matter)
            guard !isAllowed, let first = self.sentences[matter] else { return [] }
            let rest = self.count(matter) - first.count
            return first + (rest > 0 ? ["… and \(rest) more like the last"] : [])
        }
    }
}
