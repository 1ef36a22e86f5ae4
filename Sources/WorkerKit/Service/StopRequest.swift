import EventThread
import Synchronization

/// A wish that the engine stops, from any thread.
final class StopRequest: Sendable {
    let bell = Doorbell()
    private let flag = Atomic(false)

    var isRequested: Bool { self.flag.load(ordering: .acquiring) }

    func request() {
        self.flag.store(true, ordering: .releasing)
        self.bell.ring()
    }
}
