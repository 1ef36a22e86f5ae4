import Metrics
import Operations
import Synchronization

/// The metrics of the gateway. Any task may count.
final class GatewayMetrics: Sendable {
    /// The word for requests that are on no route.
    private static let elsewhere = "none"
    /// The statuses of the gateway's answers.
    private static let statuses = [200, 400, 404, 405, 413, 429, 431, 503]

    /// The reason why the gateway closed a connection by itself.
    enum Cause: Hashable, Sendable, CaseIterable {
        /// A body did not come in time.
        case bodyTime
        /// A body of the client that held most made room for others.
        case bytesInHand
        /// Nothing came for too long.
        case idleTime
        case server(ConnectionEvent.Cause)

        static let allCases =
            [bodyTime, bytesInHand, idleTime] + ConnectionEvent.Cause.allCases.map { .server($0) }

        /// The word in the metric.
        var label: String {
            switch self {
            case .bodyTime: "body_time"
            case .bytesInHand: "bytes_in_hand"
            case .idleTime: "idle_time"
            case .server(let cause): cause.rawValue
            }
        }
    }

    private let answers: [String: [Int: Counter]]
    private let durations: [String: Timer]
    private let records: [Route: Counter]
    private let failures: Counter
    private let unread: Counter
    private let closes: [Cause: Counter]
    private let connections = Atomic<Int>(0)

    init(factory: PrometheusRegistry) {
        let routes = Route.allCases.map(\.rawValue) + [Self.elsewhere]
        self.answers = Dictionary(
            uniqueKeysWithValues: routes.map { route in
                let counters = Self.statuses.map { status in
                    let labels = [("route", route), ("status", "\(status)")]
                    return (
                        status, Counter(label: "gateway_requests_total", dimensions: labels, factory: factory)
                    )
                }
                return (route, Dictionary(uniqueKeysWithValues: counters))
            }
        )
        self.durations = Dictionary(
            uniqueKeysWithValues: routes.map {
                ($0, Timer(label: "gateway_request_seconds", dimensions: [("route", $0)], factory: factory))
            }
        )
        self.records = Dictionary(
            uniqueKeysWithValues: Route.allCases.map {
                let labels = [("route", $0.rawValue)]
                return ($0, Counter(label: "gateway_records_total", dimensions: labels, factory: factory))
            }
        )
        self.failures = Counter(label: "gateway_deliveries_failed_total", factory: factory)
        self.unread = Counter(label: "gateway_forwarded_unread_total", factory: factory)
        self.closes = Dictionary(
            uniqueKeysWithValues: Cause.allCases.map { cause in
                let labels = [("cause", cause.label)]
                return (
                    cause,
                    Counter(label: "gateway_connections_closed_total", dimensions: labels, factory: factory)
                )
            }
        )
    }

    /// Sets the help texts of all metrics of the gateway.
    static func describe(in registry: PrometheusRegistry) {
        for (name, help) in [
            ("gateway_requests_total", "Answered requests, by route and status."),
            ("gateway_records_total", "Records that the cluster has acknowledged, by route."),
            ("gateway_deliveries_failed_total", "Requests whose records the cluster did not acknowledge."),
            (
                "gateway_certificate_expires_timestamp_seconds",
                "When the first certificate of the server's chain expires, in seconds since 1970."
            ),
            ("gateway_topic_open", "1 while the cluster takes records of a topic, as far as is known."),
            ("gateway_bytes_in_hand", "Bytes of bodies between their arrival and their answer."),
            ("gateway_connections", "Open connections."),
            (
                "gateway_connections_closed_total",
                "Connections that the gateway has closed by itself, by cause."
            ),
            (
                "gateway_forwarded_unread_total",
                "Requests whose X-Forwarded-For names no address, so that the proxy counts as the client."
            ),
        ] { registry.describe(name, help: help) }
        registry.describe(
            "gateway_request_seconds",
            help: "From the end of a request's header to its answer, by route.",
            buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
        )
    }

    /// Counts an answer.
    func answered(_ route: Route?, status: Int, nanoseconds: Int64) {
        let name = route?.rawValue ?? Self.elsewhere
        self.answers[name]?[status]?.increment()
        self.durations[name]?.recordNanoseconds(nanoseconds)
    }

    /// Counts records that the cluster has acknowledged.
    func published(_ count: Int, on route: Route) { self.records[route]?.increment(by: count) }

    /// Counts a request whose records the cluster has not acknowledged.
    func deliveryFailed() { self.failures.increment() }

    /// Counts a request whose client a trusted proxy has named in words that are no address.
    func forwardedUnread() { self.unread.increment() }

    /// Counts a connection that was closed by the gateway.
    func closed(_ cause: Cause) { self.closes[cause]?.increment() }

    /// Notes an event in the life of a connection.
    func note(_ event: ConnectionEvent) {
        switch event {
        case .opened: self.connections.add(1, ordering: .relaxed)
        case .ended: self.connections.subtract(1, ordering: .relaxed)
        case .closed(let cause):
            self.closed(.server(cause))
            if cause == .headerSize { self.answers[Self.elsewhere]?[431]?.increment() }
        }
    }

    /// The number of open connections.
    var openConnections: Int { self.connections.load(ordering: .relaxed) }
}
