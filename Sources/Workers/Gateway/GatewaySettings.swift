import Kafka
import Operations
import ServerTLS
import ServiceKit
import WireFormats

/// All settings of the gateway, read from its file and the environment.
struct GatewaySettings: Sendable {
    var operation: OperationSettings
    /// The address at which requests come in.
    var host: String
    /// The port; 0 takes any free one.
    var port: Int
    /// The files for TLS; nil serves plain HTTP.
    var certificate: ServerCertificate?
    /// The topic of each route that is served.
    var topics: [Route: String]
    /// The path of the click feed.
    var clicksPath: String
    /// The parameters of a click whose value can be the record's key; the first that has a value is.
    var clickKeys: [String]
    /// The types of push events that are taken.
    var reportTypes: Set<PushEvent.Kind>
    /// The largest number of push events in one request.
    var reportsLimit: Int
    /// The proxies whose `X-Forwarded-For` is believed.
    var trustedProxies: TrustedProxies
    /// The largest number of open connections.
    var connections: Int
    /// The largest body of a request, in bytes.
    var bodyLimit: Int
    /// The bytes of all bodies that are in hand, from their arrival to the answer.
    var bytesInHandLimit: Int
    /// The time in which a connection must send its first header.
    var headerTime: Duration
    /// The time in which a request must send its body, counted from the end of its header.
    var bodyTime: Duration
    /// How long a connection may be silent between two requests.
    var idleTime: Duration
    /// The requests that each route takes in a second.
    var rate: Int
    /// The requests that each client may make in a second on all routes but the clicks', where it is half of `rate`.
    var clientRate: Int
    /// The largest number of clients whose rates are known, for clicks, the other routes and sites each.
    var clientsLimit: Int
    /// librdkafka's properties for the producer.
    var producerProperties: [String: String]
    /// The files with the user name and password at the cluster, which take effect when they change.
    let loginFiles: [SecretFileWatch.File]
    /// How long the cluster may take to acknowledge a record.
    var deliveryTime: Duration
    /// The addresses of the cluster.
    var brokers: String

    /// Reads and checks all settings. Faults are reported to the reader, not thrown.
    init(_ reader: SettingsReader) {
        let kafka = reader.section("kafka")
        self.brokers = kafka.brokers("brokers", help: "Where the cluster is: host:port[,host:port…].")
        let messageLimit = kafka.bytes(
            "message_limit",
            default: GatewayProgram.messageLimit,
            in: 10_000...1_000_000_000,
            help: "The largest record the broker takes."
        )
        self.deliveryTime = kafka.duration(
            "delivery_time",
            default: .seconds(10),
            in: .milliseconds(100) ... .seconds(300),
            help: "How long the cluster may take to acknowledge a record; then the answer is 503."
        )
        let own = Self.producerProperties(
            kafka,
            brokers: self.brokers,
            messageLimit: messageLimit,
            deliveryTime: self.deliveryTime
        )
        let extra = kafka.kafkaProperties { name, value in
            ClientProperty.objection(to: name, value.reveal(), of: "the gateway")
        }
        self.producerProperties = own.merging(extra.values.mapValues { $0.reveal() }) { $1 }
        self.loginFiles = extra.watchedFiles
        self.operation = OperationSettings(reader)
        let gateway = reader.section("gateway")
        self.host = gateway.string("host", default: "0.0.0.0", help: "Address at which requests come in.")
        self.port = gateway.int(
            "port",
            default: 8_080,
            in: 0...65_535,
            help: "Its port; 0 takes any free one."
        )
        self.certificate = Self.certificate(gateway)
        self.topics = Self.topics(gateway)
        self.clicksPath = gateway.string(
            "clicks_path",
            default: "/clicks/gdt",
            help: "The path of the click feed. The platform signs nothing, so take one that nobody guesses.",
            must: "be a path such as /clicks/gdt, of visible ASCII characters without ? and #"
        ) { $0.hasPrefix("/") && $0.utf8.allSatisfy { $0.isVisible } && !$0.contains { "?#".contains($0) } }
        self.clickKeys = gateway.strings(
            "click_keys",
            default: ["muid", "click_id"],
            help: "Parameters of a click that can be the record's key; the first that has a value is."
        )
        self.reportTypes = Self.reportTypes(gateway)
        self.reportsLimit = gateway.int(
            "reports_limit",
            default: 500,
            in: 1...10_000,
            help: "Push events in one request at most."
        )
        self.trustedProxies = Self.trustedProxies(gateway)
        self.connections = gateway.int(
            "connections",
            default: 4_096,
            in: 1...1_000_000,
            help:
                "Open connections at most; one more closes one of a client with more than a sixteenth of them, or "
                + "one that is silent, or one of the client with the most."
        )
        self.bytesInHandLimit = gateway.bytes(
            "bytes_in_hand",
            default: 64 << 20,
            in: (1 << 20)...(1 << 29),
            help:
                "Bytes of all bodies between their arrival and their answer; beyond it the answer is 503. One of "
                + "several routes can have half of them; beyond it the answer is 503 too. One client can have a "
                + "quarter of them, beyond it the answer is 429. A route and a client can have one body in any case."
        )
        self.bodyLimit = gateway.bytes(
            "body_limit",
            // As much as is decoded, where the other limits allow it. A stock SDK sends some 2 MiB at most, and never makes
            // a refused upload smaller.
            default: max(1_024, min(4_000_000, messageLimit - Self.frameBytes, self.bytesInHandLimit)),
            in: 1_024...(512 << 20),
            help: "The largest body; a larger one is answered with 413."
        )
        let times = Duration.milliseconds(10) ... .seconds(600)
        self.headerTime = gateway.duration(
            "header_time",
            default: .seconds(10),
            in: times,
            help: "In which a connection has to send its first header; then it is closed."
        )
        self.bodyTime = gateway.duration(
            "body_time",
            // A stock SDK gives a request up after 30 s, and sends all of it again.
            default: .seconds(30),
            in: times,
            help: "In which a request has to send its body; then its connection is closed."
        )
        self.idleTime = gateway.duration(
            "idle_time",
            default: .seconds(60),
            in: times,
            help: "How long a connection may be silent between two requests; then it is closed."
        )
        self.rate = gateway.int(
            "rate",
            default: 20_000,
            in: 1...10_000_000,
            help: "Requests a second on each route; beyond it the answer is 429 with Retry-After."
        )
        self.clientRate = gateway.int(
            "client_rate",
            default: 200,
            in: 1...10_000_000,
            help:
                "Requests a second of each client, an IPv4 address or an IPv6 network of 56 bits; a carrier's many phones "
                + "can be one. On the route of clicks it is half of gateway.rate, for each IPv4 address or IPv6 network "
                + "of 48 bits, because a platform sends from few addresses."
        )
        self.clientsLimit = gateway.int(
            "clients",
            default: 65_536,
            in: 16...10_000_000,
            help:
                "Clients whose rates are remembered at most, for clicks, the other routes and sites each; those that "
                + "were quiet for longest are forgotten."
        )
        self.check(gateway, messageLimit: messageLimit)
    }

    /// The bytes that headers, key and framing can add to a body in its record.
    private static let frameBytes = 48_000

    private func check(_ gateway: SettingsReader, messageLimit: Int) {
        if self.bodyLimit > messageLimit - Self.frameBytes {
            gateway.reportFault(
                "body_limit",
                "must be at least \(Self.frameBytes) bytes below kafka.message_limit, which is \(messageLimit)"
            )
        }
        if self.bodyLimit > self.bytesInHandLimit {
            gateway.reportFault("bytes_in_hand", "must have room for one body (gateway.body_limit)")
        }
    }

    private static func producerProperties(
        _ kafka: SettingsReader,
        brokers: String,
        messageLimit: Int,
        deliveryTime: Duration
    ) -> [String: String] {
        let partitioner = kafka.oneOf(
            "partitioner",
            default: Partitioner.murmur2,
            help:
                "How the partition of a key is chosen, as kafka.partitioner of the push-arrival worker says."
        )
        let linger = kafka.duration(
            "linger",
            default: .milliseconds(2),
            in: .zero ... .seconds(1),
            help: "How long a record waits for others that go to the broker with it."
        )
        return [
            "bootstrap.servers": brokers,
            "acks": "all",
            // Records without a key are spread either way.
            "partitioner": partitioner == .murmur2 ? "murmur2_random" : "consistent_random",
            "linger.ms": String(linger.wholeMilliseconds),
            "message.max.bytes": String(messageLimit),
            "message.timeout.ms": String(deliveryTime.wholeMilliseconds),
            // Twice the most bytes in hand that can be set, so that no route can keep the others out of the queue.
            "queue.buffering.max.kbytes": "1048576",
            // A route at its limit leaves room in the queue for the others.
            "queue.buffering.max.messages": String((Route.allCases.count + 1) * RequestLimits.recordsLimit),
        ]
    }

    private static func certificate(_ gateway: SettingsReader) -> ServerCertificate? {
        let file = gateway.optionalString(
            "tls_certificate_file",
            help:
                "PEM file of the server's certificate and its issuers; read again when it changes. Without it, plain HTTP."
        )
        let key = gateway.optionalString(
            "tls_key_file",
            help: "PEM file of its key; read again when it changes."
        )
        if (file == nil) != (key == nil) {
            gateway.reportFault("tls_key_file", "a certificate and its key belong together")
        }
        guard let file, let key else { return nil }
        return ServerCertificate(certificateFile: file, keyFile: key)
    }

    private static func topics(_ gateway: SettingsReader) -> [Route: String] {
        let words = gateway.strings(
            "routes",
            default: Route.allCases.map(\.rawValue),
            help: "The routes that are served: \(Route.allCases.map(\.rawValue).joined(separator: ", "))."
        )
        for word in words where Route(rawValue: word) == nil {
            gateway.reportFault(
                "routes",
                "knows only \(Route.allCases.map(\.rawValue).joined(separator: ", "))"
            )
        }
        let topics: [Route: String] = [
            .uploads: gateway.topic("uploads_topic", "sdk-upload", help: "Gets the uploads of SDKs."),
            .pushArrivals: gateway.topic(
                "push_arrivals_topic",
                "push-arrival",
                help: "Gets the events of pushes."
            ),
            .clicks: gateway.topic("clicks_topic", "activation-click", help: "Gets the clicks."),
        ]
        return topics.filter { words.contains($0.key.rawValue) }
    }

    private static func reportTypes(_ gateway: SettingsReader) -> Set<PushEvent.Kind> {
        let words = gateway.strings(
            "report_types",
            default: ["arrived", "shown", "attachment_shown", "opened", "dismissed"],
            help: "Types of push events that are taken. sent is a backend's to tell, and no device's; "
                + "converted counts money, and a device can tell anything."
        )
        let types = words.map { PushEvent.Kind(rawValue: $0) }
        if types.contains(nil) {
            let known = PushEvent.Kind.allCases.map(\.rawValue).joined(separator: ", ")
            gateway.reportFault("report_types", "knows only \(known)")
        }
        return Set(types.compactMap(\.self))
    }

    private static func trustedProxies(_ gateway: SettingsReader) -> TrustedProxies {
        let words = gateway.strings(
            "trusted_proxies",
            default: [],
            help:
                "Addresses and networks (10.0.0.0/8) of proxies whose X-Forwarded-For is believed; nobody else's is."
        )
        let networks = words.map { AddressRange($0) }
        if networks.contains(nil) {
            gateway.reportFault(
                "trusted_proxies",
                "must be addresses, or networks such as 10.0.0.0/8 or fd00::/8"
            )
        }
        return TrustedProxies(networks.compactMap(\.self))
    }
}

extension SettingsReader {
    fileprivate func topic(_ key: String, _ fallback: String, help: String) -> String {
        self.string(
            key,
            default: fallback,
            help: help,
            must: "be a topic name: 1 to 249 letters, digits, '.', '_' and '-'",
            matching: Preflight.isTopicName
        )
    }
}
