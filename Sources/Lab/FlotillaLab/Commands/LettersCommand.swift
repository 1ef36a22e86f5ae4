import ArgumentParser
import Fleet
import Foundation
import Harness
import Kafka
import Records
import Terminal
import WireFormats

/// `flotilla-lab letters`: publishes large numbers of dead letters, for measurements.
struct LettersCommand: WaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "letters",
        abstract: "Publish made-up dead letters, to measure what reads them.",
        shouldDisplay: false
    )

    @Argument(help: "The topic.")
    var topic: String

    @OptionGroup var cluster: ClusterOptions

    @Option(help: "So many letters.")
    var count = 1_000_000

    @Option(help: "The number of different reasons.")
    var groups = 50

    @Option(help: "Bytes of each value.")
    var bytes = 1_000

    func validate() throws {
        guard self.count > 0, self.groups > 0, self.bytes >= 300 else {
            throw ValidationError("--count and --groups are at least 1, --bytes at least 300.")
        }
    }

    func carryOut(until wish: StopWish) throws {
        let log = try LogReader(self.cluster.properties)
        let counts = try log.metadata(atMost: .seconds(10)).partitionCounts
        guard let count = counts[self.topic] else { throw TopicReader.MissingTopic(topic: self.topic) }
        let partitions = Int32(clamping: count)
        let clusterID = log.clusterID(atMost: .seconds(10)) ?? ""
        let publisher = try Publisher(
            self.cluster.properties.merging(["queue.buffering.max.messages": "100000", "linger.ms": "20"]) {
                own,
                _ in own
            },
            verbose: false
        )
        let now = Int64(Date().timeIntervalSince1970 * 1_000)
        for index in 0..<self.count where wish.count == 0 {
            publisher.publish(self.letter(index, among: partitions, clusterID: clusterID, now: now), wish)
            if index % 1_000 == 0 { publisher.serve() }
        }
        publisher.finish(wish)
        Console.line(publisher.summary(unread: 0, topic: self.topic))
    }

    private func letter(_ index: Int, among partitions: Int32, clusterID: String, now: Int64)
        -> OutboundRecord
    {
        let partition = Int32(clamping: index) % partitions
        let notice = DeadLetterNotice(
            source: .init(
                clusterID: clusterID,
                topic: "activation",
                partition: partition,
                offset: Int64(index) / Int64(partitions),
                group: "activation-worker",
                timestamp: now
            ),
            kind: .rejected,
            reason: Reason("gdt.-\(index % self.groups)", "GDT refused the report."),
            replayable: .afterFix,
            attempts: 1 + index % 10,
            firstFailedAt: now - 60_000,
            failedAt: now,
            upstream: "gdt",
            upstreamStatus: 200,
            worker: "activation-worker",
            workerVersion: "0.1.0"
        )
        let start = """
            {"appId":"112233","advertiserId":"10000","appType":"IOS","conversionType":"MOBILEAPP_ACTIVITE",\
            "deviceId":"1E2DFA89-496A-47FD-9941-\(String(format: "%012X", index))",\
            "convertedAt":"2026-11-21T14:58:52Z","clickId":"
            """
        let filling = String(repeating: "x", count: max(0, self.bytes - start.utf8.count - 2))
        return notice.record(
            of: InboundRecord(
                topic: "activation",
                partition: partition,
                offset: 0,
                key: Array("install-\(index)".utf8),
                value: Array("\(start)\(filling)\"}".utf8),
                headers: [RecordHeader("content-type", "application/json")]
            ),
            to: self.topic,
            partition: partition,
            encodedBytesLimit: 1_000_000
        )
    }
}
