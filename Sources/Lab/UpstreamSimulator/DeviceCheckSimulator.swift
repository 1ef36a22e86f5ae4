/// Apple's DeviceCheck as a small HTTP/1.1 server.
///
/// The simulator verifies the token of each request, keeps the bits of each device, and injects faults on
/// request. Production is at `/v1/…`, development at `/development/v1/…`.
package struct DeviceCheckSimulator {
    /// Limits of the API. Apple does not publish them; its responses suggest these values.
    package struct Rules: Hashable, Sendable {
        /// The greatest difference between a request's timestamp and the present, in milliseconds and in both
        /// directions.
        package var timestampTolerance: Int64 = 60_000
        /// The lifetime of a device token in milliseconds, if the token states when it was made.
        package var deviceTokenLifetime: Int64 = 60_000
        /// The lifetime of the authorization token (JWT) in seconds, from `iat` on.
        package var authorizationLifetime: Int64 = 3_600
        /// The number of calls to remember, at least 1. When it is reached, the older half is dropped.
        package var callsKept = 20_000

        /// Creates the limits above.
        package init() {}
    }

    /// The settings of a simulator at its start.
    package struct Settings: Sendable {
        /// The IP address to listen on.
        package var host = "127.0.0.1"
        /// The port to listen on; 0 for any free port.
        package var port = 0
        /// The teams that the API knows.
        package var teams: [DeviceCheckTeam]
        /// The limits of the API.
        package var rules = Rules()
        /// The faults at the start.
        package var faults = AppleFaults()
        /// The seed of all random decisions. They also depend on the order of the requests.
        package var seed: UInt64 = 1
        /// The clock in Unix milliseconds; nil for the system's clock.
        package var now: (@Sendable () -> Int64)?

        /// Creates settings for these teams, on any free port and without faults.
        package init(teams: [DeviceCheckTeam] = []) { self.teams = teams }
    }

    /// One request, with the fields that could be read.
    package struct Call: Codable, Hashable, Sendable {
        /// The path without the query.
        package var path: String
        /// The arrival time in Unix milliseconds.
        package var at: Int64
        /// The HTTP status of the response; 0 if there was none.
        package var status = 0
        /// The device in the device token.
        package var device: String?
        /// The `transaction_id` of the request.
        package var transactionID: String?
        /// The request's own timestamp in Unix milliseconds.
        package var timestamp: Int64?
        /// The new value of the first bit; nil if the request does not set it.
        package var bit0: Bool?
        /// The new value of the second bit; nil if the request does not set it.
        package var bit1: Bool?
        /// The claim `iat` of the authorization token, in seconds since 1970.
        package var issuedAt: Int64?

        init(path: String, at: Int64) {
            self.path = path
            self.at = at
        }
    }

    /// The two bits of one device, for one team and one environment.
    package struct Device: Codable, Hashable, Sendable {
        /// The id of the team: the issuer of its tokens.
        package var team: String
        /// `production` or `development`.
        package var environment: String
        /// The name of the device in its device token.
        package var device: String
        package var bit0: Bool
        package var bit1: Bool
        /// The month of the last update, as `YYYY-MM`.
        package var month: String
        /// The number of updates since the start.
        package var updates: Int
    }

    /// Starts a simulator, and returns when its port accepts connections. The caller must stop it.
    ///
    /// - Throws: `SimulatorError` if the port cannot be opened.
    package static func start(_ settings: Settings) async throws(SimulatorError) -> RunningDeviceCheck {
        let clock = WallClock()
        let site = DeviceCheckSite(settings, now: settings.now ?? { clock.now() })
        return try await Listener.opened(settings.host, settings.port, for: site) { listener, port in
            let running = RunningDeviceCheck(host: settings.host, port: port, site: site, listener: listener)
            await running.setFaults(settings.faults)
            return running
        }
    }
}

/// A running simulator of DeviceCheck. Its methods may be called from any thread or task. The owner must call
/// `stop` at the end.
package final class RunningDeviceCheck: Sendable {
    /// The IP address that the simulator listens on.
    package let host: String
    /// The port that the simulator listens on.
    package let port: Int
    private let site: DeviceCheckSite
    private let listener: Listener

    init(host: String, port: Int, site: DeviceCheckSite, listener: Listener) {
        self.host = host
        self.port = port
        self.site = site
        self.listener = listener
    }

    /// The base URL of the production environment.
    package var url: String { "http://\(self.host):\(self.port)" }
    /// The base URL of the development environment.
    package var developmentURL: String { "\(self.url)/development" }

    /// The counters since the start.
    package func stats() -> AppleStats { self.site.stats }

    /// The bits of all devices that were ever updated, sorted by team, environment and device.
    package func devices() -> [DeviceCheckSimulator.Device] { self.site.devices }

    /// The newest requests, in the order of their arrival; at most `Rules.callsKept`.
    package func calls() -> [DeviceCheckSimulator.Call] { self.site.calls }

    /// Replaces all faults. The new faults, an outage of the port included, are in effect when this method
    /// returns.
    package func setFaults(_ faults: AppleFaults) async {
        self.site.set(faults)
        await self.listener.follow(faults.down)
    }

    /// Replaces all teams. A key that is not among them is thereby revoked.
    package func setTeams(_ teams: [DeviceCheckTeam]) { self.site.set(teams) }

    /// Closes the port and every connection. A second call has no effect.
    package func stop() async { await self.listener.stop() }
}
