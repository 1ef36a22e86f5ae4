package import EventThread
import Synchronization

/// A request that an engine stops, which any thread can make.
package final class StopRequest: Sendable {
    /// The bell that wakes the engine's thread. That thread answers it.
    package let bell = Doorbell()
    private let flag = Atomic(false)

    package init() {}

    /// Whether a stop was requested. It never becomes false again.
    package var isRequested: Bool { self.flag.load(ordering: .acquiring) }

    /// Requests the stop, and wakes the engine's thread.
    package func request() {
        self.flag.store(true, ordering: .releasing)
        self.bell.ring()
    }
}
