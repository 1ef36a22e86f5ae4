/// A running simulator of GDT. Its methods may be called from any thread or task. The owner must call `stop`
/// at the end.
package final class RunningSimulator: Sendable {
    /// The IP address that the simulator listens on.
    package let host: String
    /// The port that the simulator listens on.
    package let port: Int
    private let switchboard: Switchboard
    private let listener: Listener

    init(host: String, port: Int, switchboard: Switchboard, listener: Listener) {
        self.host = host
        self.port = port
        self.switchboard = switchboard
        self.listener = listener
    }

    /// The counters since the start.
    package func stats() -> SimulatorStats {
        self.switchboard.stats
    }

    /// The accepted conversions with their counts, sorted by app, muid and conversion type.
    package func accepted() -> [AcceptedReport] {
        self.switchboard.ledger.acceptedReports
    }

    /// Replaces all faults. The new faults, an outage of the port included, are in effect when this method
    /// returns.
    package func setFaults(_ faults: Faults) async {
        self.switchboard.set(faults)
        await self.listener.follow(faults.down)
    }

    /// Adds accounts, or replaces the keys of known ones.
    package func addKeys(_ keys: [GDTKeys]) {
        self.switchboard.add(keys)
    }

    /// Closes the port and every connection. A second call has no effect.
    package func stop() async {
        await self.listener.stop()
    }
}
