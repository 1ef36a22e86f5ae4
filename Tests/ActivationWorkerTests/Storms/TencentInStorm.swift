import Foundation
import ServiceKit
import Simulation
import UpstreamHTTP

@testable import UpstreamSimulator

/// Tencent's living interfaces as the upstream of a storm: the state of the simulator, which shares no code with the
/// worker, on the clock of the storm. It keeps a journal of its requests, and loses some of its answers.
final class TencentInStorm {
    /// One request that has reached Tencent.
    struct Visit {
        var url: String
        /// Whether a token came with it, in the URL or in a header.
        var hasToken: Bool
        /// The `outer_action_id` of each action, in the order of the request, by its record.
        var actions: [(record: RecordName, id: String)]
        var code: Int
    }

    static let token = "sec-1"
    static let accountID: UInt64 = 10_000
    static let actionSetID: UInt64 = 77
    /// An address that is not there.
    static let nowhere = "https://api.e.qq.com/gone?cb=click"
    /// For how long an edge before Tencent blocks all callbacks to `/conv`.
    static let block = Duration.seconds(90)
    /// The age in seconds from which on Tencent calls an action wrong. The worker reports older ones too.
    static let oldestAction: Int64 = 5 * 86_400

    private var state: MarketingState
    private var random: SplitMix64
    /// The clock of the storm.
    var clock: SimulatedClock?
    /// The wall-clock times between which an edge blocks all callbacks, in milliseconds since 1970; nil before the first.
    private var blocked: Range<Int64>?
    /// The callbacks that the edge has blocked.
    private(set) var blockedCallbacks = 0
    private(set) var visits: [Visit] = []
    private var seen: Set<String> = []

    init(seed: UInt64) {
        let account = MarketingSimulator.Account(
            accountID: Self.accountID,
            actionSetIDs: [Self.actionSetID]
        )
        var settings = MarketingSimulator.Settings(accounts: [account], tokens: [Self.token])
        settings.rules.oldestAction = Self.oldestAction
        self.state = MarketingState(settings)
        self.random = SplitMix64(seed: seed)
    }

    var conversions: [MarketingSimulator.Conversion] { self.state.conversions }
    var repeatedNonces: Int { self.state.ledger.repeatedNonces }
    var largestBatch: Int { self.state.ledger.largestBatch }

    /// Answers a call. The answer to a request with an action that is new is lost now and then.
    func reply(to call: SimulatedUpstream.Call, after latency: Duration) -> SimulatedUpstream.Reply {
        let request = SharedRequest.unmarked(call.request)
        let now = self.clock?.now.wall ?? 0
        guard !self.isBlocked(request, at: now) else {
            self.blockedCallbacks += 1
            return SimulatedUpstream.Reply(403, after: latency, body: "<html>")
        }
        guard request.url != Self.nowhere else {
            return SimulatedUpstream.Reply(404, after: latency, body: "<html>")
        }
        let text = self.state.answer(Self.request(request), now: now).text
        let visit = Visit(
            url: request.url,
            hasToken: request.url.contains("access_token")
                || request.headers.contains { $0.name == "access-token" },
            actions: Self.actions(of: call),
            code: (Self.object(Array(text.utf8))["code"] as? NSNumber)?.intValue ?? -1
        )
        self.visits.append(visit)
        let ids = Set(visit.actions.map(\.id))
        let isNew = !ids.isSubset(of: self.seen)
        self.seen.formUnion(ids)
        guard isNew, Int.random(in: 0..<6, using: &self.random) == 0 else {
            return SimulatedUpstream.Reply(200, after: latency, body: text)
        }
        return .failure(.cut, mayHaveBeenSent: true, after: latency)
    }

    /// Whether an edge blocks the request. It begins with one of the first callbacks to `/conv`, and blocks all of these for
    /// a time.
    private func isBlocked(_ request: HTTPRequest, at now: Int64) -> Bool {
        guard request.url.contains("/conv?") else { return false }
        if self.blocked == nil, Int.random(in: 0..<8, using: &self.random) == 0 {
            self.blocked = now..<now + Self.block.wholeMilliseconds
        }
        return self.blocked?.contains(now) == true
    }

    /// The request as the simulator's server would read it. A host that is not Tencent's is a path of its own, which
    /// the simulator does not know.
    private static func request(_ request: HTTPRequest) -> MarketingState.Request {
        let host = ["https://api.e.qq.com", "http://tracking.e.qq.com"].first {
            request.url.hasPrefix("\($0)/")
        }
        return MarketingState.Request(
            method: request.method.rawValue,
            uri: String(request.url.dropFirst(host?.count ?? 0)),
            headers: Dictionary(
                request.headers.map { ($0.name.lowercased(), $0.value) },
                uniquingKeysWith: { first, _ in first }
            ),
            body: request.body ?? []
        )
    }

    private static func actions(of call: SimulatedUpstream.Call) -> [(record: RecordName, id: String)] {
        let records = SharedRequest.calls(in: call.request, at: call.at).map(\.name)
        let actions = Self.object(call.request.body ?? [])["actions"] as? [[String: Any]] ?? []
        // A request with another number of actions than records gets an id that no record can have.
        let ids = actions.map { $0["outer_action_id"] as? String ?? "" }
        return records.enumerated().map { ($1, $0 < ids.count && ids.count == records.count ? ids[$0] : "") }
    }

    private static func object(_ bytes: [UInt8]) -> [String: Any] {
        (try? JSONSerialization.jsonObject(with: Data(bytes))) as? [String: Any] ?? [:]
    }
}
