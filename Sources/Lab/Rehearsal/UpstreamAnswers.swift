import Foundation

/// The responses of a simulator's control endpoints at the end of the demo, by path.
struct UpstreamAnswers {
    static let stats = "/control/stats"

    /// The counters that all simulators have.
    struct Tally: Decodable, Hashable {
        /// All requests to the API, with or without a fault.
        var requests: Int
        /// The requests that the API accepted, even if a fault then lost the response.
        var accepted: Int
    }

    /// The bodies of the responses, by path.
    var bodies: [String: [UInt8]] = [:]

    var tally: Tally? { self.read(Tally.self, at: Self.stats) }

    /// Decodes a response; nil if the endpoint was not asked, or if its response has another form.
    func read<Answer: Decodable>(_ type: Answer.Type, at path: String) -> Answer? {
        self.bodies[path].flatMap { try? JSONDecoder().decode(type, from: Data($0)) }
    }
}
