import Kafka

/// The tickets of the partitions that were just assigned, as far as they have been read.
struct Recall: Sendable {
    /// The end of each partition of the parking topic that is read; nil until the cluster has told.
    var ends: [TopicPartition: Int64]?
    /// The tickets that are not taken back, by their partition of the parking topic and the offset that they
    /// stand for.
    var tickets: [TopicPartition: [Int64: ParkingTicket]] = [:]
    /// The monotonic time before which reading is not tried again, in nanoseconds.
    var retryAt = Int64.min
    /// The number of tickets of another cluster, topic or partition, and of records that are no tickets.
    var strangers = 0
    /// The reason why the tickets cannot be read; nil if they can.
    var trouble: Trouble?
}
