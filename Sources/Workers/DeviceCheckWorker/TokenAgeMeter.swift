import Metrics
import Operations
import Synchronization

/// The metric of the ages of device tokens when Apple is asked. Look at it first when Apple refuses tokens.
/// The object is safe to use from any thread.
final class TokenAgeMeter: Sendable {
    private let timer = Mutex<Timer?>(nil)

    /// Starts the metric. Ages noted before are not counted.
    func begin(_ registry: PrometheusRegistry) {
        registry.describe(
            "devicecheck_token_age_seconds",
            help: "Age of the device token when Apple is asked, by the earliest clock that had it.",
            buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300]
        )
        let timer = Timer(label: "devicecheck_token_age_seconds", dimensions: [], factory: registry)
        self.timer.withLock { $0 = timer }
    }

    /// Counts an age, unless it is unknown.
    func note(_ age: TokenAge) {
        guard let milliseconds = age.milliseconds else { return }
        let (nanoseconds, overflowed) = milliseconds.multipliedReportingOverflow(by: 1_000_000)
        self.timer.withLock { $0?.recordNanoseconds(overflowed ? .max : nanoseconds) }
    }
}
