/// GDT's conversion API as a small HTTP/1.1 server. The simulator judges reports like GDT, counts the
/// accepted ones, and injects faults on request.
package struct GDTSimulator {
    /// The settings of a simulator at its start.
    package struct Settings: Sendable {
        /// The IP address to listen on.
        package var host = "127.0.0.1"
        /// The port to listen on; 0 for any free port.
        package var port = 0
        /// The accounts that the API knows.
        package var keys: [GDTKeys]
        /// The range in which conversion times are accepted.
        package var window = GDTJudge.Window()
        /// The faults at the start.
        package var faults = Faults()
        /// The seed of all random decisions. They also depend on the order of the requests.
        package var seed: UInt64 = 1
        /// Whether a click id such as `sim-503x2-…` decides what happens to its report (see `ClickScript`).
        package var scriptedByClickID = false
        /// The number of event loop threads; at least one is used.
        package var threadCount = 1
        /// The greatest number of entries that are kept for `/control/calls` until they are read; 0 keeps
        /// none.
        package var journalLimit = 0
        /// The clock in Unix milliseconds; nil for the system's clock.
        package var now: (@Sendable () -> Int64)?

        /// Creates settings for these accounts, on any free port and without faults.
        package init(keys: [GDTKeys] = []) {
            self.keys = keys
        }
    }

    /// Starts a simulator, and returns when its port accepts connections. The caller must stop it.
    ///
    /// - Throws: `SimulatorError` if the port cannot be opened.
    package static func start(_ settings: Settings) async throws(SimulatorError) -> RunningSimulator {
        let clock = WallClock()
        let simulation = GDTSimulation(
            judge: GDTJudge(keys: settings.keys, window: settings.window),
            director: FaultDirector(seed: settings.seed, scriptedByClickID: settings.scriptedByClickID)
        )
        let switchboard = Switchboard(
            simulation,
            journal: CallJournal(limit: settings.journalLimit),
            now: settings.now ?? { clock.now() }
        )
        return try await Listener.opened(
            settings.host,
            settings.port,
            for: switchboard,
            threads: settings.threadCount
        ) { listener, port in
            let simulator = RunningSimulator(
                host: settings.host,
                port: port,
                switchboard: switchboard,
                listener: listener
            )
            await simulator.setFaults(settings.faults)
            return simulator
        }
    }
}
