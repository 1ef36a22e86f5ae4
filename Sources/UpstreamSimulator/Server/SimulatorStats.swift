/// The counters at one moment.
package struct SimulatorStats: Codable, Hashable, Sendable {
    /// Requests to the API, whatever became of them; control and health requests are not counted.
    package var requests: Int
    /// Accepted reports, duplicates included.
    package var accepted: Int
    package var distinctAccepted: Int
    package var duplicates: Int
    /// By code, as text; also where the answer was then lost.
    package var rets: [String: Int]
    /// By the name of the fault; an outage counts once.
    package var faults: [String: Int]
    /// Requests that followed the script in their click id.
    package var scripted: Int
    /// Requests whose click id starts like a script and does not read as one.
    package var unreadScripts: Int
    /// Connections since the start.
    package var connections: Int
    package var openConnections: Int

    init(_ ledger: GDTLedger, connections: Int, openConnections: Int) {
        self.requests = ledger.requests
        self.accepted = ledger.acceptedCount
        self.distinctAccepted = ledger.accepted.count
        self.duplicates = ledger.duplicates
        self.rets = Dictionary(uniqueKeysWithValues: ledger.rets.map { (String($0.key.rawValue), $0.value) })
        self.faults = Dictionary(uniqueKeysWithValues: ledger.faults.map { ($0.key.rawValue, $0.value) })
        self.scripted = ledger.scripted
        self.unreadScripts = ledger.unreadScripts
        self.connections = connections
        self.openConnections = openConnections
    }

    private enum CodingKeys: String, CodingKey {
        case requests
        case accepted
        case distinctAccepted = "distinct_accepted"
        case duplicates
        case rets
        case faults
        case scripted
        case unreadScripts = "unread_scripts"
        case connections
        case openConnections = "open_connections"
    }
}
