/// The GDT conversion API as a small HTTP/1.1 server: judges reports like the real one, counts what it accepts,
/// and misbehaves on demand.
package struct GDTSimulator {
    package struct Settings: Sendable {
        package var host = "127.0.0.1"
        /// 0: any free port.
        package var port = 0
        package var keys: [GDTKeys]
        package var window = GDTJudge.Window()
        /// The switches at the start.
        package var faults = Faults()
        /// Every random decision follows from it, given the order of the requests.
        package var seed: UInt64 = 1
        /// Whether a click id such as `sim-503x2-…` decides the fate of its report.
        package var scriptedByClickID = false
        package var threadCount = 1
        /// Most entries of `/control/calls` that are kept until they are read; none are with 0.
        package var journalLimit = 0
        /// Unix milliseconds; nil for the system's own.
        package var now: (@Sendable () -> Int64)?

        package init(keys: [GDTKeys] = []) {
            self.keys = keys
        }
    }

    /// Returns once the port accepts connections. Whoever starts a simulator stops it.
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
