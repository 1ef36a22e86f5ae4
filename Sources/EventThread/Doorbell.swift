import Glibc
import Synchronization

/// Wakes an event thread from any other thread.
package final class Doorbell: Sendable {
    private let pipe = WakePipe()
    private let isRinging = Atomic(false)

    package init() {}

    /// Readable from the first `ring` until `answer`.
    package var descriptor: Int32 { self.pipe.readEnd }

    /// Ends the current wait, or the next. Any number of rings before the answer are one.
    package func ring() {
        guard !self.isRinging.exchange(true, ordering: .sequentiallyConsistent) else { return }
        var byte: UInt8 = 1
        // One byte into an empty pipe cannot fail while both ends are open.
        _ = unsafe write(self.pipe.writeEnd, &byte, 1)
    }

    /// Takes note of the ring; called by the thread that waits. A ring during this call is answered or stays.
    package func answer() {
        guard self.isRinging.load(ordering: .sequentiallyConsistent) else { return }
        var byte: [UInt8] = [0]
        // If the ringer has set the flag and not yet written, there is nothing to read: the next call finds it.
        guard self.pipe.read(into: &byte) == 1 else { return }
        self.isRinging.store(false, ordering: .sequentiallyConsistent)
    }
}
