/// Apple's verifyReceipt and App Store Server API as a small HTTP/1.1 server.
///
/// The simulator reads receipts, verifies the token of each request, signs transactions with a certificate
/// chain of its own, and injects faults on request. Production is at `/verifyReceipt` and `/inApps/…`, the
/// sandbox at `/sandbox/verifyReceipt` and `/sandbox/inApps/…`.
package struct StoreSimulator {
    /// The settings of a simulator at its start.
    package struct Settings: Sendable {
        /// The IP address to listen on.
        package var host = "127.0.0.1"
        /// The port to listen on; 0 for any free port.
        package var port = 0
        /// The apps that the store knows.
        package var apps: [SimulatedApp]
        /// The purchases that the store knows.
        package var purchases: [SimulatedPurchase]
        /// The faults at the start.
        package var faults = AppleFaults()
        /// The seed of all random decisions. They also depend on the order of the requests.
        package var seed: UInt64 = 1
        /// The clock in Unix milliseconds; nil for the system's clock.
        package var now: (@Sendable () -> Int64)?

        /// Creates settings for these apps and purchases, on any free port and without faults.
        package init(apps: [SimulatedApp] = [], purchases: [SimulatedPurchase] = []) {
            self.apps = apps
            self.purchases = purchases
        }
    }

    /// One request. Its receipt, shared secret and token are not kept.
    package struct Call: Codable, Hashable, Sendable {
        /// The path with its query.
        package var target: String
        /// The arrival time in Unix milliseconds.
        package var at: Int64
        /// The HTTP status of the response; 0 if there was none.
        package var status: Int
    }

    /// Starts a simulator, and returns when its port accepts connections. The caller must stop it.
    ///
    /// - Throws: `SimulatorError` if the port cannot be opened.
    package static func start(_ settings: Settings) async throws(SimulatorError) -> RunningStore {
        let clock = WallClock()
        let site = StoreSite(settings, now: settings.now ?? { clock.now() })
        return try await Listener.opened(settings.host, settings.port, for: site) { listener, port in
            let running = RunningStore(host: settings.host, port: port, site: site, listener: listener)
            await running.setFaults(settings.faults)
            return running
        }
    }
}

/// A running simulated store. Its methods may be called from any thread or task. The owner must call `stop`
/// at the end.
package final class RunningStore: Sendable {
    /// The IP address that the simulator listens on.
    package let host: String
    /// The port that the simulator listens on.
    package let port: Int
    private let site: StoreSite
    private let listener: Listener

    init(host: String, port: Int, site: StoreSite, listener: Listener) {
        self.host = host
        self.port = port
        self.site = site
        self.listener = listener
    }

    /// The base URL of the production environment.
    package var url: String { "http://\(self.host):\(self.port)" }
    /// The base URL of the sandbox.
    package var sandboxURL: String { "\(self.url)/sandbox" }

    /// The counters since the start.
    package func stats() -> AppleStats { self.site.stats }

    /// The newest requests, in the order of their arrival; at most 20,000.
    package func calls() -> [StoreSimulator.Call] { self.site.calls }

    /// Replaces all faults. The new faults, an outage of the port included, are in effect when this method
    /// returns.
    package func setFaults(_ faults: AppleFaults) async {
        self.site.set(faults)
        await self.listener.follow(faults.down)
    }

    /// Closes the port and every connection. A second call has no effect.
    package func stop() async { await self.listener.stop() }
}
