// Publishes an activation, takes the id of its outcome from the delivery report, and waits for that outcome.
//
// The package needs the products Kafka (https://github.com/swift-server/swift-kafka-client, branch main),
// FlotillaRecords (this repository), Logging, NIOCore and ServiceLifecycle.
import FlotillaRecords
import Foundation
import Kafka
import Logging
import NIOCore
import ServiceLifecycle

@main
enum PublishAndMatch {
    static func main() async throws {
        let brokers = [ProcessInfo.processInfo.environment["BROKERS"] ?? "127.0.0.1:9092"]
        let logger = Logger(label: "publish-and-match")
        var producing = KafkaProducerConfig()
        producing.bootstrapServers = brokers
        producing.enableIdempotence = true
        producing.messageTimeoutMs = 30_000
        let producer = try KafkaProducer(config: producing, logger: logger)
        var consuming = KafkaConsumerConfig()
        consuming.bootstrapServers = brokers
        consuming.consumptionStrategy = .group(id: "matcher", topics: [ActivationResult.topic])
        consuming.autoOffsetReset = .earliest
        consuming.enableAutoCommit = false
        consuming.isolationLevel = .read_committed
        let consumer = try KafkaConsumer(config: consuming, logger: logger)
        let services = ServiceGroup(
            services: [producer, consumer],
            gracefulShutdownSignals: [.sigterm, .sigint],
            logger: logger
        )
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await services.run() }
            let id = try await Self.publish(with: producer)
            let outcome = try await Self.outcome(of: id, from: consumer)
            print(id, outcome.fate, outcome.reason?.code ?? "")
            await services.triggerGracefulShutdown()
            try await group.waitForAll()
        }
    }

    /// Publishes a record, and waits until the cluster has it.
    ///
    /// - Returns: where the record is written, which is the id of its outcome.
    static func publish(with producer: KafkaProducer) async throws -> String {
        let activation = Activation {
            $0.appID = 112233
            $0.advertiserID = 10000
            $0.appType = "IOS"
            $0.conversionType = "MOBILEAPP_ACTIVITE"
            $0.deviceID = "1E2DFA89-496A-47FD-9941-DF1FC4E6484A"
            $0.convertedAtMS = Int64(Date().timeIntervalSince1970 * 1_000)
        }
        let report = try await producer.sendAndAwait(
            KafkaProducerMessage(
                topic: Activation.topic,
                headers: [
                    KafkaHeader(key: "content-type", value: ByteBuffer(string: RecordFormat.json.contentType))
                ],
                key: "install-42",
                value: ByteBuffer(bytes: try activation.encoded(as: .json))
            )
        )
        switch report.status {
        case .acknowledged(let written):
            return "\(written.topic)/\(written.partition.rawValue)/\(written.offset.rawValue)"
        case .failure(let error): throw error
        }
    }

    /// Reads results until the one with this id.
    static func outcome(of id: String, from consumer: KafkaConsumer) async throws -> Outcome {
        for try await message in consumer.messages {
            let record = Record(
                topic: message.topic,
                value: Array(message.value.readableBytesView),
                headers: message.headers.map { header in
                    Header(header.key, bytes: header.value.map { Array($0.readableBytesView) })
                }
            )
            let outcome = try ActivationResult(decoding: record).outcome
            // A service that publishes elsewhere stores an outcome whose id it does not know yet, before it commits.
            try await consumer.commit(message)
            // After a crash of the worker an outcome can come twice with one id: the first one counts.
            if let outcome, outcome.id == id { return outcome }
        }
        throw CancellationError()
    }
}
