import Kafka
package import ServiceKit

/// The parking topic, in which an engine puts aside records that would otherwise fill its memory
/// (`ParkingTicket`).
package struct ParkingLot {
    /// The name of the parking topic.
    package let topic: String
    /// The number of partitions of the parking topic. Records of an input partition that it does not have
    /// stay in hand.
    package var partitions: Int32
    /// Reads the tickets, and reads parked records from the input again.
    package let memory: any MemoryReader
    /// The number of tickets that one engine may hold. With as many, the engine takes in no more records.
    /// Each ticket takes some 150 bytes of memory.
    package var limit = 500_000

    /// Makes a lot with room for 500,000 tickets.
    package init(topic: String, partitions: Int32, memory: any MemoryReader) {
        self.topic = topic
        self.partitions = partitions
        self.memory = memory
    }

    /// Returns the partition of the parking topic in which the tickets of an input partition lie.
    func place(of partition: TopicPartition) -> TopicPartition {
        TopicPartition(topic: self.topic, partition: partition.partition)
    }
}
