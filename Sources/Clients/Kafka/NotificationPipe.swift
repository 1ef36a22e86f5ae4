internal import EventThread

/// A pipe on which librdkafka's threads report that a queue has something, and which queue it is.
final class NotificationPipe {
    /// A tag that stands for no queue. It only wakes the reader.
    static let wakeTag = UInt32.max
    let pipe = WakePipe()
    private var buffer = [UInt8](repeating: 0, count: 4_096)

    var readEnd: Int32 { self.pipe.readEnd }
    var writeEnd: Int32 { self.pipe.writeEnd }

    /// Passes on every tag that was written since the last call.
    ///
    /// A queue writes one tag and no more until it is polled. The pipe therefore holds at most one tag for
    /// each queue, and overflows only with more than sixteen thousand queues.
    func drain(_ tell: (UInt32) -> Void) {
        while true {
            let count = self.pipe.read(into: &self.buffer)
            for start in stride(from: 0, to: count - 3, by: 4) {
                let tag = self.buffer[start..<start + 4].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
                tell(tag)
            }
            guard count == self.buffer.count else { return }
        }
    }
}
