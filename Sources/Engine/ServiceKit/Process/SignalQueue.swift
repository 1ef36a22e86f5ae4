import EventThread
import Glibc

/// The signals of this process in the order in which they came, for one thread that waits for them.
///
/// A process has one queue. From the first use of the queue on, its signals end nothing by themselves.
struct SignalQueue {
    /// The pipe of the process. It is shared, because the handler of a signal is given nothing but the
    /// signal's number.
    private static let pipe = WakePipe()

    init(_ numbers: [Int32]) {
        // The pipe is made before the first signal can come, because a signal handler must not allocate.
        _ = Self.pipe
        for number in numbers {
            _ = signal(number) { number in
                // The interrupted code may be about to look at its error number, so the handler restores it.
                let interrupted = errno
                SignalQueue.pipe.write(UInt32(number))
                errno = interrupted
            }
        }
    }

    /// Returns the signals that have come since the last call.
    func take() -> [Int32] {
        var numbers: [Int32] = []
        var buffer = [UInt8](repeating: 0, count: 4 * 64)
        while case let count = Self.pipe.read(into: &buffer), count > 0 {
            // Each signal takes four bytes, little-endian. No signal has a number above 64, so the first byte
            // is enough.
            numbers += stride(from: 0, to: count, by: 4).map { Int32(buffer[$0]) }
        }
        return numbers
    }

    /// Sleeps until a signal has come or the time is up. The wait may end early.
    func wait(atMost longest: Duration) {
        var wait = Wait(on: [Self.pipe.readEnd])
        wait(atMost: longest)
    }
}
