import Kafka

/// The tickets of the partitions that were just assigned, as far as they have been read.
struct Recall: Sendable {
    /// Where the tickets of each partition end; nil as long as the cluster has not said.
    var ends: [TopicPartition: Int64]?
    var tickets: [TopicPartition: [Int64: ParkingTicket]] = [:]
    /// Not to be tried again before this monotonic time.
    var retryAt = Int64.min
    /// Tickets of other clusters, and what is no ticket.
    var strangers = 0
    var trouble: Trouble?
}
