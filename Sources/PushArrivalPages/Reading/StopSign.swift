import EventThread
import Synchronization

/// Tells a thread that waits in the library of a C client to stop.
final class StopSign: Sendable {
    private let isRaisedFlag = Atomic(false)
    private let doorbell = Doorbell()

    /// Readable once it is raised, for good.
    var descriptor: Int32 { self.doorbell.descriptor }
    var isRaised: Bool { self.isRaisedFlag.load(ordering: .sequentiallyConsistent) }

    func raise() {
        self.isRaisedFlag.store(true, ordering: .sequentiallyConsistent)
        self.doorbell.ring()
    }
}
