import EventThread
import Glibc

/// Signals of this process, in the order in which they came, for one thread that waits for them.
///
/// There is one queue in a process. From its first use on, its signals end nothing by themselves.
struct SignalQueue {
    /// Of the process, because the handler of a signal is given nothing but its number.
    private static let pipe = WakePipe()

    init(_ numbers: [Int32]) {
        // Made before the first signal can come: a handler must not allocate.
        _ = Self.pipe
        for number in numbers {
            _ = signal(number) { number in
                // What the signal has interrupted may be about to look at its error number.
                let interrupted = errno
                SignalQueue.pipe.write(UInt32(number))
                errno = interrupted
            }
        }
    }

    /// The signals that have come since the last call.
    func take() -> [Int32] {
        var numbers: [Int32] = []
        var buffer = [UInt8](repeating: 0, count: 4 * 64)
        while case let count = Self.pipe.read(into: &buffer), count > 0 {
            // Four bytes each, little-endian; no signal has a number above 64.
            numbers += stride(from: 0, to: count, by: 4).map { Int32(buffer[$0]) }
        }
        return numbers
    }

    /// Sleeps until a signal has come or the time is up. May return early.
    func wait(atMost longest: Duration) {
        var wait = Wait(on: [Self.pipe.readEnd])
        wait(atMost: longest)
    }
}
