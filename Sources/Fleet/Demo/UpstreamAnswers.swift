import Foundation

/// What a simulator answers at its desk in the end, by path.
struct UpstreamAnswers {
    static let stats = "/control/stats"

    /// The counters that all simulators have.
    struct Tally: Decodable, Hashable {
        /// Requests to the API, whatever became of them.
        var requests: Int
        /// Those that it said yes to, also where the answer was then lost.
        var accepted: Int
    }

    var bodies: [String: [UInt8]] = [:]

    var tally: Tally? { self.read(Tally.self, at: Self.stats) }

    /// Nil if the desk was not asked, or its answer is not this.
    func read<Answer: Decodable>(_ type: Answer.Type, at path: String) -> Answer? {
        self.bodies[path].flatMap { try? JSONDecoder().decode(type, from: Data($0)) }
    }
}
