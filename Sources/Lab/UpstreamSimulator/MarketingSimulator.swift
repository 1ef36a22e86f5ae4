/// The Tencent Ads Marketing API as a small HTTP/1.1 server: `/v3.0/user_actions/add`, `/oauth/token`, and the
/// callbacks of self-attribution, `/conv?cb=…` and `/v3.0/user_actions/add?cb=…`.
///
/// The simulator checks requests by its own code, counts each conversion once by its `outer_action_id`, and
/// injects faults on request.
package struct MarketingSimulator {
    /// An account with its data sources.
    package struct Account: Codable, Hashable, Sendable {
        /// The field `account_id`.
        package var accountID: UInt64
        /// The known values of `user_action_set_id`.
        package var actionSetIDs: Set<UInt64>

        package init(accountID: UInt64, actionSetIDs: Set<UInt64>) {
            self.accountID = accountID
            self.actionSetIDs = actionSetIDs
        }
    }

    /// A developer's application that renews its tokens by OAuth.
    package struct Client: Codable, Hashable, Sendable {
        package var clientID: String
        package var clientSecret: String
        /// The refresh token that is valid now. Each renewal replaces it.
        package var refreshToken: String

        package init(clientID: String, clientSecret: String, refreshToken: String) {
            self.clientID = clientID
            self.clientSecret = clientSecret
            self.refreshToken = refreshToken
        }
    }

    /// Limits of the API.
    package struct Rules: Hashable, Sendable {
        /// The greatest difference between `timestamp` and the present, in seconds.
        package var timestampTolerance: Int64 = 300
        /// The requests of an account in one minute; nil for any number. A minute begins where the clock's
        /// does.
        package var requestsAMinute: Int?
        /// The requests of an account in one day of UTC+8; nil for any number.
        package var requestsADay: Int?
        /// The lifetime of a renewed access token in seconds.
        package var tokenLifetime: Int64 = 86_400
        /// The age in seconds above which an action is refused.
        package var oldestAction: Int64 = 30 * 86_400
        /// The number of nonces that are remembered. Beyond it, all are forgotten.
        package var noncesKept = 1_000_000

        /// Creates the limits above.
        package init() {}
    }

    /// The settings of a simulator at its start.
    package struct Settings: Sendable {
        /// The IP address to listen on.
        package var host = "127.0.0.1"
        /// The port to listen on; 0 for any free port.
        package var port = 0
        /// The accounts that the API knows.
        package var accounts: [Account]
        /// The access tokens that are valid and do not expire.
        package var tokens: Set<String>
        /// The applications that renew tokens.
        package var clients: [Client] = []
        /// The limits of the API.
        package var rules = Rules()
        /// The faults at the start.
        package var faults = AppleFaults()
        /// The seed of all random decisions. They also depend on the order of the requests.
        package var seed: UInt64 = 1
        /// The clock in Unix milliseconds; nil for the system's clock.
        package var now: (@Sendable () -> Int64)?

        package init(accounts: [Account] = [], tokens: Set<String> = []) {
            self.accounts = accounts
            self.tokens = tokens
        }
    }

    /// A conversion that the API has accepted, with the number of times.
    package struct Conversion: Codable, Hashable, Sendable {
        /// The data source; 0 for a callback.
        package var actionSetID: UInt64
        /// The field `action_type`.
        package var actionType: String
        /// The field `outer_action_id`.
        package var outerActionID: String
        /// The hashed id of the device.
        package var muid: String
        /// The decoded `cb` of a callback; empty for a report.
        package var callback: String
        /// The number of times; more than one means that a repeat was recognised.
        package var count: Int
    }

    /// The counters of a simulator at one moment.
    package struct Stats: Codable, Hashable, Sendable {
        /// All requests, with or without a fault.
        package var requests: Int
        /// Accepted actions, repeats included.
        package var actions: Int
        /// Accepted actions that were no repeats.
        package var conversions: Int
        /// The number of responses by the field `code`, even if a fault then lost the response.
        package var codes: [String: Int]
        /// Requests whose nonce had been seen before.
        package var repeatedNonces: Int
        /// The largest number of actions in a request that reached the API.
        package var largestBatch: Int
        /// Renewed pairs of tokens.
        package var renewals: Int
        /// The number of strikes by the name of the fault (`Fault`).
        package var faults: [String: Int]
        /// Connections since the start.
        package var connections: Int
        /// Connections that are open now.
        package var openConnections: Int
    }

    /// Starts a simulator, and returns when its port accepts connections. The caller must stop it.
    ///
    /// - Throws: `SimulatorError` if the port cannot be opened.
    package static func start(_ settings: Settings) async throws(SimulatorError) -> RunningMarketing {
        let clock = WallClock()
        let site = MarketingSite(settings, now: settings.now ?? { clock.now() })
        return try await Listener.opened(settings.host, settings.port, for: site) { listener, port in
            let running = RunningMarketing(host: settings.host, port: port, site: site, listener: listener)
            await running.setFaults(settings.faults)
            return running
        }
    }
}

/// A running simulator of the Marketing API. Its methods may be called from any thread or task. The owner must
/// call `stop` at the end.
package final class RunningMarketing: Sendable {
    /// The IP address that the simulator listens on.
    package let host: String
    /// The port that the simulator listens on.
    package let port: Int
    private let site: MarketingSite
    private let listener: Listener

    init(host: String, port: Int, site: MarketingSite, listener: Listener) {
        self.host = host
        self.port = port
        self.site = site
        self.listener = listener
    }

    /// The address of the simulator, without a path.
    package var url: String { "http://\(self.host):\(self.port)" }

    /// The counters since the start.
    package func stats() -> MarketingSimulator.Stats { self.site.stats }

    /// The accepted conversions, sorted by their ids.
    package func conversions() -> [MarketingSimulator.Conversion] { self.site.conversions }

    /// The URIs of all requests but those of the control desk, newest last; at most 1,000.
    package func uris() -> [String] { self.site.uris }

    /// Replaces all faults. The new faults, an outage of the port included, are in effect when this method
    /// returns.
    package func setFaults(_ faults: AppleFaults) async {
        self.site.set(faults)
        await self.listener.follow(faults.down)
    }

    /// Lets an access token expire now.
    package func expire(_ token: String) { self.site.expire(token) }

    /// Closes the port and every connection. A second call has no effect.
    package func stop() async { await self.listener.stop() }
}
