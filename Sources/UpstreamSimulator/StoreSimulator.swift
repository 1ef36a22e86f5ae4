/// Apple's verifyReceipt and App Store Server API as a small HTTP/1.1 server: reads receipts, verifies the token of
/// each request, signs what it knows with a chain of its own, and misbehaves on demand. Production is at
/// `/verifyReceipt` and `/inApps/…`, the sandbox at `/sandbox/verifyReceipt` and `/sandbox/inApps/…`.
package struct StoreSimulator {
    package struct Settings: Sendable {
        package var host = "127.0.0.1"
        /// 0: any free port.
        package var port = 0
        package var apps: [SimulatedApp]
        package var purchases: [SimulatedPurchase]
        /// The switches at the start.
        package var faults = AppleFaults()
        package var seed: UInt64 = 1
        /// Unix milliseconds; nil for the system's own.
        package var now: (@Sendable () -> Int64)?

        package init(apps: [SimulatedApp] = [], purchases: [SimulatedPurchase] = []) {
            self.apps = apps
            self.purchases = purchases
        }
    }

    /// One request. Receipts, secrets and tokens are not kept.
    package struct Call: Codable, Hashable, Sendable {
        package var target: String
        /// When it came: Unix milliseconds.
        package var at: Int64
        /// What was answered; 0 for nothing.
        package var status: Int
    }

    /// The counters at one moment.
    package struct Stats: Codable, Hashable, Sendable {
        package var requests: Int
        /// Requests that Apple said yes to: receipts it has shown the purchases of, and answers of the Server API. Also
        /// where the answer was then lost.
        package var accepted: Int
        /// By HTTP status; 0 for requests that got none.
        package var answers: [String: Int]
        package var faults: [String: Int]
        package var connections: Int
        package var openConnections: Int
    }

    /// Returns once the port accepts connections. Whoever starts a simulator stops it.
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

/// A simulated store at work. Safe to use from anywhere; `stop` it when done.
package final class RunningStore: Sendable {
    package let host: String
    package let port: Int
    private let site: StoreSite
    private let listener: Listener

    init(host: String, port: Int, site: StoreSite, listener: Listener) {
        self.host = host
        self.port = port
        self.site = site
        self.listener = listener
    }

    /// The base URL of production; that of the sandbox is below it.
    package var url: String { "http://\(self.host):\(self.port)" }
    package var sandboxURL: String { "\(self.url)/sandbox" }

    package func stats() -> StoreSimulator.Stats { self.site.stats }

    /// The newest requests, in the order of their arrival.
    package func calls() -> [StoreSimulator.Call] { self.site.calls }

    /// Replaces all switches; in effect on return, the state of the port included.
    package func setFaults(_ faults: AppleFaults) async {
        self.site.set(faults)
        await self.listener.follow(faults.down)
    }

    /// Replaces what has been bought.
    package func setPurchases(_ purchases: [SimulatedPurchase]) { self.site.set(purchases) }

    /// Closes the port and every connection. Calling it again does nothing.
    package func stop() async { await self.listener.stop() }
}
