/// The counters of the GDT simulator at one moment, as `/control/stats` reports them.
package struct SimulatorStats: Codable, Hashable, Sendable {
    /// All requests to the API, with or without a fault. Control and health requests are not counted.
    package var requests: Int
    /// The number of accepted reports, duplicates included.
    package var accepted: Int
    /// The number of different conversions among the accepted reports.
    package var distinctAccepted: Int
    /// The number of accepted reports whose conversion had been accepted before.
    package var duplicates: Int
    /// The number of responses by code, even if a fault then lost the response. The keys are the codes as
    /// text.
    package var rets: [String: Int]
    /// The number of strikes by the name of the fault. An outage counts once.
    package var faults: [String: Int]
    /// Requests that followed the script in their click id.
    package var scripted: Int
    /// Requests whose click id starts like a script and does not follow the grammar.
    package var unreadScripts: Int
    /// Connections since the start.
    package var connections: Int
    /// Connections that are open now.
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
