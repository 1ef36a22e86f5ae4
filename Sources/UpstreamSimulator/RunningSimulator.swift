/// A simulator at work. Safe to use from anywhere; `stop` it when done.
package final class RunningSimulator: Sendable {
    package let host: String
    package let port: Int
    private let switchboard: Switchboard
    private let listener: Listener

    init(host: String, port: Int, switchboard: Switchboard, listener: Listener) {
        self.host = host
        self.port = port
        self.switchboard = switchboard
        self.listener = listener
    }

    package func stats() -> SimulatorStats {
        self.switchboard.stats
    }

    /// What was accepted, sorted by app, muid and type.
    package func accepted() -> [AcceptedReport] {
        self.switchboard.ledger.acceptedReports
    }

    /// Replaces all switches; in effect on return, the state of the port included.
    package func setFaults(_ faults: Faults) async {
        self.switchboard.set(faults)
        await self.listener.follow(faults.down)
    }

    /// Adds accounts, or replaces the keys of known ones.
    package func addKeys(_ keys: [GDTKeys]) {
        self.switchboard.add(keys)
    }

    /// Closes the port and every connection. Calling it again does nothing.
    package func stop() async {
        await self.listener.stop()
    }
}
