/// Apple's DeviceCheck as a small HTTP/1.1 server: verifies the token of each request, keeps the bits of each device,
/// and misbehaves on demand. Production is at `/v1/…`, development at `/development/v1/…`.
package struct DeviceCheckSimulator {
    /// Where Apple publishes nothing, what its answers suggest.
    package struct Rules: Hashable, Sendable {
        /// Milliseconds from now, either way.
        package var timestampTolerance: Int64 = 60_000
        /// Milliseconds since a device token was made, if it says when.
        package var deviceTokenLifetime: Int64 = 60_000
        /// Seconds since a token of ours was issued.
        package var authorizationLifetime: Int64 = 3_600
        /// Calls that are kept for whoever asks what came in.
        package var callsKept = 20_000

        package init() {}
    }

    package struct Settings: Sendable {
        package var host = "127.0.0.1"
        /// 0: any free port.
        package var port = 0
        package var teams: [DeviceCheckTeam]
        package var rules = Rules()
        /// The switches at the start.
        package var faults = AppleFaults()
        package var seed: UInt64 = 1
        /// Unix milliseconds; nil for the system's own.
        package var now: (@Sendable () -> Int64)?

        package init(teams: [DeviceCheckTeam] = []) { self.teams = teams }
    }

    /// One request, as far as it could be read.
    package struct Call: Codable, Hashable, Sendable {
        package var path: String
        /// When it came: Unix milliseconds.
        package var at: Int64
        /// What was answered; 0 for nothing.
        package var status = 0
        package var device: String?
        package var transactionID: String?
        package var timestamp: Int64?
        package var bit0: Bool?
        package var bit1: Bool?
        /// `iat` of the token, in seconds.
        package var issuedAt: Int64?

        init(path: String, at: Int64) {
            self.path = path
            self.at = at
        }
    }

    /// The bits of one device and team in one environment.
    package struct Device: Codable, Hashable, Sendable {
        package var team: String
        package var environment: String
        package var device: String
        package var bit0: Bool
        package var bit1: Bool
        /// `YYYY-MM`.
        package var month: String
        package var updates: Int
    }

    /// The counters at one moment.
    package struct Stats: Codable, Hashable, Sendable {
        package var requests: Int
        /// Requests that the API carried out or answered; also where the answer was then lost.
        package var accepted: Int
        /// By HTTP status; 0 for requests that got none.
        package var answers: [String: Int]
        package var faults: [String: Int]
        package var connections: Int
        package var openConnections: Int
    }

    /// Returns once the port accepts connections. Whoever starts a simulator stops it.
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

/// A simulator of DeviceCheck at work. Safe to use from anywhere; `stop` it when done.
package final class RunningDeviceCheck: Sendable {
    package let host: String
    package let port: Int
    private let site: DeviceCheckSite
    private let listener: Listener

    init(host: String, port: Int, site: DeviceCheckSite, listener: Listener) {
        self.host = host
        self.port = port
        self.site = site
        self.listener = listener
    }

    /// The base URL of production; that of development is below it.
    package var url: String { "http://\(self.host):\(self.port)" }
    package var developmentURL: String { "\(self.url)/development" }

    package func stats() -> DeviceCheckSimulator.Stats { self.site.stats }

    package func devices() -> [DeviceCheckSimulator.Device] { self.site.devices }

    /// The newest requests, in the order of their arrival.
    package func calls() -> [DeviceCheckSimulator.Call] { self.site.calls }

    /// Replaces all switches; in effect on return, the state of the port included.
    package func setFaults(_ faults: AppleFaults) async {
        self.site.set(faults)
        await self.listener.follow(faults.down)
    }

    /// Replaces all teams: a key that is not among them is revoked.
    package func setTeams(_ teams: [DeviceCheckTeam]) { self.site.set(teams) }

    /// Closes the port and every connection. Calling it again does nothing.
    package func stop() async { await self.listener.stop() }
}
