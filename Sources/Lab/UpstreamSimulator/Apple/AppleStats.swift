/// The counters of a simulator of Apple's at one moment.
package struct AppleStats: Codable, Hashable, Sendable {
    /// All requests to the API, with or without a fault.
    package var requests: Int
    /// Requests that Apple accepted, even if a fault then lost the response: those that the API answered with
    /// status 200, and receipts that verifyReceipt answered with their purchases.
    package var accepted: Int
    /// The number of responses by HTTP status; 0 stands for requests without a response.
    package var answers: [String: Int]
    /// The number of strikes by the name of the fault (`Fault`). An outage counts once; latency is not
    /// counted.
    package var faults: [String: Int]
    /// Connections since the start.
    package var connections: Int
    /// Connections that are open now.
    package var openConnections: Int
}
