import Gateway
import Kafka
import Operations
import ServiceKit

/// The topics that a gateway fills, and its cluster. The gateway itself reads and checks all its settings.
struct GatewayTopics {
    let kafka: KafkaSettings
    /// The topics of the routes that are served, and how they have to be.
    let wanted: [WantedTopic]

    /// The rights that the gateway needs on its cluster.
    var rights: [NeededRight] { NeededRight.rights(ofProducerTo: self.wanted.map { ($0.role, $0.name) }) }

    /// The problems of the cluster's topics as sentences; empty if there are all of them.
    func faults(in cluster: ClusterMetadata) -> [String] {
        self.wanted.filter { cluster.partitionCounts[$0.name, default: 0] == 0 }.map {
            "The topic '\($0.name)' (\($0.role)) does not exist, or this client may not see it; create it, or allow it."
        }
    }

    /// The problems of the topics' settings. A topic with less room than the largest body takes all smaller ones.
    func outlook(in cluster: ClusterMetadata, _ settings: [String: TopicSettings]) -> Preflight.Outlook {
        var outlook = Preflight.Outlook()
        // Without the right to describe a topic, its settings are not told.
        outlook.unknown = self.wanted.map(\.name).filter { settings[$0] == nil }
        let comparison = TopicComparison(
            self.wanted.filter { settings[$0.name] != nil },
            in: cluster,
            settings: settings,
            defaults: TopicComparison.Defaults(partitions: Roster.partitions)
        )
        for finding in comparison.findings {
            for change in finding.changes {
                let line = "\(finding.topic.name): \(change.line)"
                if case .set("max.message.bytes", _, _) = change {
                    outlook.warnings.append("\(line); until then larger bodies are answered with 413")
                } else {
                    outlook.faults.append(line)
                }
            }
            outlook.faults += finding.refusals.map { "\(finding.topic.name): \($0)" }
        }
        return outlook
    }

    /// The routes, each with the setting of its topic and the topic where none is set.
    private static let routes = [
        (name: "uploads", setting: "uploads_topic", topic: "sdk-upload"),
        (name: "push-arrivals", setting: "push_arrivals_topic", topic: "push-arrival"),
        (name: "clicks", setting: "clicks_topic", topic: "activation-click"),
    ]

    /// Reads the settings that determine the topics.
    init(_ reader: SettingsReader) {
        let section = reader.section("kafka")
        let kafka = KafkaSettings(
            section,
            Roster.gateway,
            messageBytesLimit: GatewayProgram.messageLimit
        )
        for setting in ["delivery_time", "linger", "partitioner"] {
            _ = section.optionalString(setting, help: "A setting of the gateway's producer.")
        }
        let gateway = reader.section("gateway")
        let served = gateway.strings(
            "routes",
            default: Self.routes.map(\.name),
            help: "The routes that are served."
        )
        self.kafka = kafka
        self.wanted = Self.routes.filter { served.contains($0.name) }.map { route in
            let topic = gateway.string(route.setting, default: route.topic, help: "A topic of the gateway.")
            let isOfUploads = route.name == "uploads"
            // Only an upload is as large as a body.
            let size = isOfUploads ? kafka.messageBytesLimit : min(kafka.messageBytesLimit, 1_048_000)
            let settings = [
                WantedTopic.Setting("cleanup.policy", .exactly("delete")),
                WantedTopic.Setting("max.message.bytes", .atLeast(Int64(size))),
            ]
            return WantedTopic(
                role: route.name,
                name: topic,
                partitions: .any,
                settings: settings,
                // Gateways fill the topic of uploads, and need the room.
                isInput: true,
                mayBeRaised: isOfUploads
            )
        }
    }
}
