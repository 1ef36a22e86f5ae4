import ArgumentParser
import Fleet
import Foundation
import Harness
import Kafka
import PushStatistics
import Records
import Terminal
import Trials
import WireFormats

/// `flotilla-lab pushes`: publishes large numbers of push events, for measurements and for a look at the dashboard.
struct PushesCommand: WaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "pushes",
        abstract: "Publish made-up push events, to measure what counts them.",
        discussion: """
            Each event is an arrival of another pair of message and device, with the device as its key. The topic has to \
            exist. The worker tells what it has counted of them: in push-arrival.stats, on its dashboard, and on /metrics.
            """
    )

    @Argument(help: "The topic.")
    var topic: String

    @OptionGroup var cluster: ClusterOptions

    @Option(help: "So many events, each of another pair.")
    var count = 1_000_000

    @Option(help: "The number of messages.")
    var messages = 100

    @Option(help: "json or protobuf.")
    var format = "protobuf"

    @Flag(help: "The changelog of a worker that has counted them, instead of the events.")
    var changelog = false

    func validate() throws {
        guard self.count > 0, self.messages > 0 else {
            throw ValidationError("--count and --messages are at least 1.")
        }
        guard ValueFormat(rawValue: self.format) == .protobuf || self.format == "json" else {
            throw ValidationError("--format is json or protobuf.")
        }
    }

    func carryOut(until wish: StopWish) throws {
        let log = try LogReader(self.cluster.properties)
        let counts = try log.metadata(atMost: .seconds(10)).partitionCounts
        guard let partitions = counts[self.topic] else { throw TopicReader.MissingTopic(topic: self.topic) }
        let publisher = try Publisher(
            self.cluster.properties.merging(["queue.buffering.max.messages": "100000", "linger.ms": "20"]) {
                own,
                _ in own
            },
            verbose: false
        )
        let now = Int64(Date().timeIntervalSince1970 * 1_000)
        let events = MadeUpEvents(messages: self.messages, sent: now - 200_000)
        if self.changelog {
            self.publishChangelog(
                of: events,
                across: Int32(clamping: partitions),
                through: publisher,
                now: now,
                until: wish
            )
        } else {
            for index in 0..<self.count where wish.count == 0 {
                publisher.publish(self.record(of: events.event(index)), wish)
                if index % 1_000 == 0 { publisher.serve() }
            }
        }
        publisher.finish(wish)
        Console.line(publisher.summary(unread: 0, topic: self.topic))
    }

    private func record(of event: PushEvent) -> OutboundRecord {
        OutboundRecord(
            topic: self.topic,
            key: Array(event.deviceID.utf8),
            value: self.format == "json" ? Self.json(event) : event.encoded()
        )
    }

    private static func json(_ event: PushEvent) -> [UInt8] {
        Array(
            """
            {"type":"\(event.kind.rawValue)","provider":"\(event.provider)","messageId":"\(event.messageID)",\
            "campaignId":"\(event.campaignID)","appBundle":"\(event.appBundle)","deviceId":"\(event.deviceID)",\
            "sentMs":\(event.sentMS ?? 0),"deviceMs":\(event.deviceMS ?? 0),"uploadMs":\(event.uploadMS ?? 0),\
            "serverMs":\(event.serverMS),"nseEligible":true}
            """.utf8
        )
    }

    /// Publishes the changelog that a worker would write for these events.
    private func publishChangelog(
        of events: MadeUpEvents,
        across partitions: Int32,
        through publisher: Publisher,
        now: Int64,
        until wish: StopWish
    ) {
        let ledgers = (0..<partitions).map {
            ArrivalLedger(
                source: $0,
                rules: CohortRules(),
                pace: EmissionPace(),
                seed: .random(in: .min ... .max)
            )
        }
        func write() {
            for (partition, ledger) in ledgers.enumerated() {
                ledger.collect(now: now, progress: now) { change in
                    publisher.publish(
                        OutboundRecord(
                            topic: self.topic,
                            key: change.key.recordKey,
                            value: change.encoded(),
                            partition: Int32(partition)
                        ),
                        wish
                    )
                } part: { _ in
                }
            }
            publisher.serve()
        }
        for index in 0..<self.count where wish.count == 0 {
            let event = events.event(index)
            let home = Partitioner.crc32.partition(of: Array(event.deviceID.utf8), among: partitions)
            _ = ledgers[Int(home)].count(event, now: now)
            // One write for every 20,000 events, as a worker does at 100,000 events per second.
            if index % 20_000 == 19_999 { write() }
        }
        write()
    }
}
