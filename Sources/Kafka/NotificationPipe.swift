internal import EventThread

/// Where librdkafka's threads leave word that a queue has something, and which queue.
final class NotificationPipe {
    /// A tag that says no more than that there is something to look for.
    static let wakeTag = UInt32.max
    let pipe = WakePipe()
    private var buffer = [UInt8](repeating: 0, count: 4_096)

    var readEnd: Int32 { self.pipe.readEnd }
    var writeEnd: Int32 { self.pipe.writeEnd }

    /// Hands over every tag written since the last time. A queue writes one tag and no more until it is polled,
    /// so the pipe holds at most one for each queue and cannot overflow below sixteen thousand of them.
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
