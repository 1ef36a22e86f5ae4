import EventThread
import Synchronization

/// A flag that stops a thread, also while the thread waits in a C library. It is safe to use from any thread.
final class StopSign: Sendable {
    private let isRaisedFlag = Atomic(false)
    private let doorbell = Doorbell()

    /// A file descriptor that becomes readable when the flag is raised, and stays readable.
    var descriptor: Int32 { self.doorbell.descriptor }
    /// Whether the thread must stop.
    var isRaised: Bool { self.isRaisedFlag.load(ordering: .sequentiallyConsistent) }

    /// Raises the flag for good and wakes the thread.
    func raise() {
        self.isRaisedFlag.store(true, ordering: .sequentiallyConsistent)
        self.doorbell.ring()
    }
}
