import Kafka

/// Where an engine puts records aside that would fill its hands (`ParkingTicket`).
package struct ParkingLot {
    package let topic: String
    /// Partitions of the topic. Records of a partition of the input that it does not have stay in hand.
    package var partitions: Int32
    /// Reads the tickets, and the input once more.
    package let memory: any MemoryReader
    /// Tickets that one engine may hold; with as many, it takes in no more. Each takes some 150 bytes of memory.
    package var limit = 500_000

    package init(topic: String, partitions: Int32, memory: any MemoryReader) {
        self.topic = topic
        self.partitions = partitions
        self.memory = memory
    }

    /// Where the tickets of a partition of the input lie.
    func place(of partition: TopicPartition) -> TopicPartition {
        TopicPartition(topic: self.topic, partition: partition.partition)
    }
}
