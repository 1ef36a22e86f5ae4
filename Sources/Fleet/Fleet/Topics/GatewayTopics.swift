import Gateway
import Operations
import ServiceKit

/// The topics that a gateway fills, and its cluster. The gateway itself reads and checks all its settings.
struct GatewayTopics {
    let kafka: KafkaSettings
    /// The topics of the routes that are served, and how they have to be.
    let wanted: [WantedTopic]

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
            let settings = [
                WantedTopic.Setting("cleanup.policy", .exactly("delete")),
                WantedTopic.Setting("max.message.bytes", .atLeast(Int64(kafka.messageBytesLimit))),
            ]
            return WantedTopic(
                role: route.name,
                name: topic,
                partitions: .any,
                settings: settings,
                isInput: true
            )
        }
    }
}
