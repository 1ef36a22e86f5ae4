import Kafka
import Operations
import PushArrivalPages
import PushStatistics
import ServiceKit
import StreamKit
import WireFormats
import WorkerKit

/// All settings of the worker, read from its file and the environment.
struct PushArrivalSettings: Sendable {
    var kafka: KafkaSettings
    var operation: OperationSettings
    var stream: StreamSettings
    var topics: PushTopicNames
    var rules: CohortRules
    /// The interval at which statistics are published. Parts are published more often.
    var pace: EmissionPace
    /// The partitioner of the publishers, which decides the home of a device.
    var partitioner: Partitioner
    /// The configured apps, which give the app's id for the id of an extension.
    var apps: PushApps
    /// The places of the message id in the payloads of providers that the worker does not know.
    var paths: PushPayloadPaths
    var resultFormat: ValueFormat
    var resultEnvelope: ResultEnvelope
    /// The number of the result's schema in a schema registry; nil for results without a frame.
    var resultSchemaID: Int32?
    var statisticsFormat: ValueFormat
    /// The greatest number of arrivals in one record for the forwarder; nil if arrivals are not forwarded.
    var forwardBatch: Int?
    /// The settings of the dashboard; nil if it is disabled.
    var dashboard: DashboardSettings?

    /// Reads and checks all settings. Faults are reported to the reader, not thrown.
    init(_ reader: SettingsReader, _ identity: WorkerIdentity) {
        let kafka = reader.section("kafka")
        self.kafka = KafkaSettings(kafka, identity)
        self.topics = PushTopicNames(kafka, self.kafka)
        self.partitioner = kafka.oneOf(
            "partitioner",
            default: Partitioner.murmur2,
            help:
                "How the publishers choose the partition of a key: murmur2 (Java and most clients) or crc32 "
                + "(librdkafka). A record in another partition than its device's is sent on to that."
        )
        if self.kafka.messageBytesLimit < Self.leastMessageBytes {
            kafka.reportFault(
                "message_limit",
                "must be at least \(Self.leastMessageBytes) bytes: the statistics of one message can be that large"
            )
        }
        self.operation = OperationSettings(reader)
        self.stream = StreamSettings(
            reader.section("state"),
            memoryHelp:
                "The memory that the state of all threads may take; 24 bytes for a device and message, "
                + "some 100 for a message of one device. Above half of it no message begins or grows that neither a "
                + "sent nor five devices tell of. Above it nothing is read: add workers, or raise it.",
            crashFolder: WorkerSettings.temporaryFolder(of: self.kafka.group)
        )
        let push = reader.section("push")
        self.rules = Self.rules(push)
        self.apps = PushApps(
            push.strings(
                "apps",
                default: [],
                help:
                    "Bundle ids of the apps, so that an extension's id, which has one component more, counts as its app's."
            )
        )
        self.paths = Self.paths(push)
        self.resultFormat = push.oneOf(
            "result_format",
            default: ValueFormat.json,
            help: "How results are written."
        )
        self.resultEnvelope = push.oneOf(
            "result_envelope",
            default: ResultEnvelope.none,
            help: "Whether results are CloudEvents, in binary or in structured mode."
        )
        self.resultSchemaID = push.resultSchemaID(self.resultFormat, in: self.resultEnvelope)
        let statistics = reader.section("statistics")
        self.pace = EmissionPace(
            first: statistics.duration(
                "interval",
                default: .seconds(10),
                in: .milliseconds(100) ... .seconds(600),
                help:
                    "Between two snapshots of a message in its first hour; 30 times that in its first day, 360 times later."
            )
        )
        self.statisticsFormat = statistics.oneOf(
            "format",
            default: ValueFormat.json,
            help: "How statistics are written."
        )
        let forward = reader.section("forward")
        let forwards = forward.bool(
            "enabled",
            default: false,
            help: "Whether accepted arrivals are put up for push-arrival-worker forward."
        )
        let batch = forward.int(
            "batch",
            default: 100,
            in: 1...1_000,
            help: "Arrivals in one request at most."
        )
        self.forwardBatch = forwards ? batch : nil
        self.dashboard = DashboardSettings(reader.section("dashboard"))
    }

    /// The smallest allowed message size, in bytes. The largest record that cannot be divided, the statistics
    /// of one message, fits into it.
    static let leastMessageBytes = 64 << 10

    /// The greatest number of devices in one record of the changelog.
    var devicesPerRecord: Int {
        (self.kafka.messageBytesLimit - CohortSnapshot.ownBytesLimit) / CohortSnapshot.deviceBytesLimit
    }

    private static func rules(_ reader: SettingsReader) -> CohortRules {
        let standard = CohortRules()
        return CohortRules(
            allowedLateness: reader.duration(
                "allowed_lateness",
                default: standard.allowedLateness,
                in: .seconds(60) ... .seconds(30 * 86_400),
                help: "How long after its push was sent an event still counts."
            ),
            grace: reader.duration(
                "grace",
                default: standard.grace,
                in: .zero ... .seconds(7 * 86_400),
                help: "How long after that the devices of a message are remembered."
            ),
            newMessages: reader.int(
                "new_messages",
                default: standard.newMessages,
                in: 1...1_000_000,
                help:
                    "New messages of one app that a partition takes up in a second, as long as a single device tells "
                    + "of each and no sent; 100 times that after a quiet time. Beyond it, events are rejected."
            ),
            environments: Set(
                reader.strings(
                    "environments",
                    default: standard.environments.sorted(),
                    help: "The environments whose events count."
                )
            )
        )
    }

    private static func paths(_ reader: SettingsReader) -> PushPayloadPaths {
        let paths = reader.each(
            "id_paths",
            help: "Where providers that the worker does not know keep the message id in a payload."
        ) { entry -> PushPayloadPaths.Path? in
            let provider = entry.string("provider", help: "A word for the provider.")
            let path = entry.string("path", help: "Names of members, with dots between them.")
            guard !provider.isEmpty, !path.isEmpty else { return nil }
            guard let made = PushPayloadPaths.Path(provider: provider, path: path) else {
                entry.reportFault(
                    "path",
                    "must be at most \(PushPayloadPaths.Path.componentsLimit) names with dots between"
                )
                return nil
            }
            return made
        }
        return PushPayloadPaths(paths.compactMap { $0 })
    }
}
