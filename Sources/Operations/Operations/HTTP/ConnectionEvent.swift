/// An event in the life of a connection that nobody sees in an answer.
package enum ConnectionEvent: Hashable, Sendable {
    /// The reason why the server closed a connection by itself. The raw value is a label of metrics.
    package enum Cause: String, Hashable, Sendable, CaseIterable {
        /// The header of its first request did not come in time.
        case headerTime = "header_time"
        /// A header was beyond the limits.
        case headerSize = "header_size"
        /// There were too many connections.
        case crowd
        /// Its last answer was not read in time before a stop.
        case drain
    }

    case opened
    case closed(Cause)
    /// The connection is gone, whoever has closed it.
    case ended
}
