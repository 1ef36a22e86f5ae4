import EventThread
package import Kafka
import Synchronization

/// Keeps the bounds of the logs of some consumers fresh, on a thread of its own.
package final class LogBoundsThread: Sendable {
    /// The time between two rounds of questions.
    private static let interval = Duration.seconds(15)
    /// The longest wait for one answer. A stop takes no longer than that.
    private static let answerLimit = Duration.milliseconds(500)

    private let stop = StopRequest()
    private let watches = Mutex<[LogBoundsWatch]>([])

    package init() {}

    /// Asks for the bounds of this consumer's partitions too, from the next round on.
    package func follow(_ watch: LogBoundsWatch) { self.watches.withLock { $0.append(watch) } }

    /// Runs a body, and the thread beside it.
    ///
    /// - Throws: The error of the body.
    package func running(_ body: () async throws -> Void) async throws {
        async let rounds: Void = EventThread.run { self.ask() }
        do {
            try await body()
        } catch {
            self.stop.request()
            try await rounds
            throw error
        }
        self.stop.request()
        try await rounds
    }

    private func ask() {
        var pause = Wait(on: [self.stop.bell.descriptor])
        while !self.stop.isRequested {
            for watch in self.watches.withLock({ $0 }) {
                watch.refresh(atMost: Self.answerLimit) { !self.stop.isRequested }
            }
            pause(atMost: Self.interval)
        }
    }
}
