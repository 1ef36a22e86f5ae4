package import Kafka
package import Records

/// A consumer and a producer as one broker.
package final class KafkaBroker: Broker {
    package let consumer: Consumer
    package let producer: Producer
    private let answerLimit: Duration

    /// - Parameter answerLimit: the longest wait for an answer where the engine must wait.
    package init(consumer: Consumer, producer: Producer, answerLimit: Duration = .seconds(5)) {
        self.consumer = consumer
        self.producer = producer
        self.answerLimit = answerLimit
    }

    package func serve(_ tell: (BrokerEvent) -> Void) {
        self.producer.serve { event in
            switch event {
            case .reported(let id, let error): tell(.reported(id: id, error))
            case .failed(let error): tell(.failed(error))
            case .logged(let log): tell(.logged(log))
            }
        }
        self.consumer.serve { event in
            switch event {
            case .assigned(let partitions): tell(.assigned(partitions))
            case .revoked(let partitions, let isLost): tell(.revoked(partitions, isLost: isLost))
            case .committed(let id, let error): tell(.committed(id: id, error))
            case .failed(let error): tell(.failed(error))
            case .logged(let log): tell(.logged(log))
            }
        }
    }

    package func committed(_ partitions: [TopicPartition]) throws(KafkaError) -> [CommittedPosition] {
        try self.consumer.committed(partitions, atMost: self.answerLimit)
    }

    package func assign(_ positions: [CommittedPosition]) throws(KafkaError) -> [PartitionReader] {
        try self.consumer.assign(positions)
    }

    package func unassign() throws(KafkaError) { try self.consumer.unassign() }

    package func commit(_ positions: [CommittedPosition], id: UInt64) throws(KafkaError) {
        try self.consumer.commit(positions, id: id)
    }

    package func send(_ record: OutboundRecord, id: UInt64) throws(KafkaError) {
        try self.producer.send(record, id: id)
    }

    package func leave() throws(KafkaError) { try self.consumer.close() }

    package var hasLeft: Bool { self.consumer.isClosed }
}

extension PartitionReader: RecordSource {}
