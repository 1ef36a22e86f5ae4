import DeadLetters
package import Operations
import ServerTLS
import Synchronization

/// The metrics of the pages: how many letters are open, and how close the oldest is to being deleted.
package final class PagesMetrics: Sendable {
    private let registry: PrometheusRegistry
    /// By topic. A topic that was seen once keeps its series.
    private let topics = Mutex<[String: RetentionView]>([:])
    private let webhookMessages = Mutex((taken: 0, notTaken: 0))
    private let health: Health
    private let now: @Sendable () -> Int64

    /// - Parameters:
    ///   - health: hears of every look at the cluster, whether or not it succeeds.
    ///   - now: returns the wall-clock time in milliseconds since 1970.
    package init(
        in registry: PrometheusRegistry,
        health: Health,
        now: @escaping @Sendable () -> Int64
    ) {
        self.registry = registry
        self.health = health
        self.now = now
        Self.describe(in: registry)
        registry.sampleCounter("dead_letters_webhook_messages_total", [("result", "taken")]) { [self] in
            Double(self.webhookMessages.withLock { $0.taken })
        }
        registry.sampleCounter("dead_letters_webhook_messages_total", [("result", "not_taken")]) { [self] in
            Double(self.webhookMessages.withLock { $0.notTaken })
        }
    }

    /// Sets the help texts.
    package static func describe(in registry: PrometheusRegistry) {
        for (name, help) in [
            ("dead_letters_open", "Dead letters that were neither replayed nor discarded, by topic."),
            ("dead_letters_oldest_open_age_seconds", "Since the oldest open letter was written, by topic."),
            ("dead_letters_retention_seconds", "How long a topic keeps its letters."),
            ("dead_letters_webhook_messages_total", "Messages to the webhook, by result: taken, not_taken."),
            (
                "dead_letters_certificate_expires_timestamp_seconds",
                "When the first certificate of the pages' chain expires, in seconds since 1970."
            ),
        ] { registry.describe(name, help: help) }
    }

    /// Shows when the certificate of the pages expires, also after it has changed with its files.
    func follow(_ certificate: ServedCertificate) {
        self.registry.sampleGauge("dead_letters_certificate_expires_timestamp_seconds") {
            Double(certificate.expires)
        }
    }

    /// Notes that the index is about to be refreshed.
    func refreshing() { self.health.beat() }

    /// Notes whether the webhook took a message.
    func webhookPosted(isTaken: Bool) {
        self.webhookMessages.withLock {
            if isTaken { $0.taken += 1 } else { $0.notTaken += 1 }
        }
    }

    /// Notes the state of all topics.
    func show(_ views: [RetentionView]) {
        let new = self.topics.withLock { topics in
            let new = views.map(\.topic).filter { topics[$0] == nil }
            for view in views { topics[view.topic] = view }
            return new
        }
        for topic in new { self.add(topic) }
    }

    private func add(_ topic: String) {
        let label = [("topic", topic)]
        self.sample("dead_letters_open", label) { view, _ in Double(view.open) }
        self.sample("dead_letters_retention_seconds", label) { view, _ in
            view.keeps.map { Double($0) / 1_000 }
        }
        self.sample("dead_letters_oldest_open_age_seconds", label) { view, now in
            guard view.open > 0 else { return 0 }
            guard let keeps = view.keeps, let goes = view.firstGoes else { return nil }
            return max(0, Double(now) - (Double(goes) - Double(keeps))) / 1_000
        }
    }

    private func sample(
        _ name: String,
        _ label: [(String, String)],
        value: @escaping @Sendable (RetentionView, _ now: Int64) -> Double?
    ) {
        self.registry.sampleGauge(name, label) { [self] in
            self.topics.withLock { $0[label[0].1] }.flatMap { value($0, self.now()) }
        }
    }
}
