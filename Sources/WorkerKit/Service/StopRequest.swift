package import EventThread
import Synchronization

/// A wish that the engine stops, from any thread.
package final class StopRequest: Sendable {
    package let bell = Doorbell()
    private let flag = Atomic(false)

    package init() {}

    package var isRequested: Bool { self.flag.load(ordering: .acquiring) }

    package func request() {
        self.flag.store(true, ordering: .releasing)
        self.bell.ring()
    }
}
