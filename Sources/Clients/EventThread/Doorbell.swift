import Glibc
import Synchronization

/// Wakes an event thread from any other thread.
///
/// The doorbell is a pipe that holds at most one byte, and a flag that says whether a byte is in it or about
/// to be written. Any thread may call `ring`; only the waiting thread calls `answer`.
package final class Doorbell: Sendable {
    private let pipe = WakePipe()
    private let isRinging = Atomic(false)

    /// Makes a doorbell. It ends the process if no descriptors are left, as `WakePipe` does.
    package init() {}

    /// The descriptor to wait on. It is readable from the first `ring` until `answer`.
    package var descriptor: Int32 { self.pipe.readEnd }

    /// Ends the current wait of the thread, or its next wait if it is not waiting. Several rings before the
    /// thread answers count as one.
    package func ring() {
        guard !self.isRinging.exchange(true, ordering: .sequentiallyConsistent) else { return }
        var byte: UInt8 = 1
        // Writing one byte into an empty pipe cannot fail while both ends are open.
        _ = unsafe write(self.pipe.writeEnd, &byte, 1)
    }

    /// Clears the ring. The thread that waits calls this after each wait, and looks at its work afterwards. A
    /// ring that comes during this call is either cleared with the others or ends the next wait.
    package func answer() {
        guard self.isRinging.load(ordering: .sequentiallyConsistent) else { return }
        var byte: [UInt8] = [0]
        // A ringing thread may have set the flag without having written its byte yet. Then there is nothing
        // to read, the flag stays set, and the byte ends the next wait.
        guard self.pipe.read(into: &byte) == 1 else { return }
        self.isRinging.store(false, ordering: .sequentiallyConsistent)
    }
}
