import Synchronization

/// Tells a run as it goes, line by line, for somebody who looks into a failing seed.
package final class Narrator: Sendable {
    private let print: @Sendable (String) -> Void
    private let time = Mutex<Int64>(0)

    package init(_ print: @escaping @Sendable (String) -> Void) { self.print = print }

    func timeIs(_ monotonic: Int64) { self.time.withLock { $0 = monotonic } }

    func tell(_ who: String, _ what: String) {
        let milliseconds = (self.time.withLock { $0 } - 1_000_000_000) / 1_000_000
        self.print("\(milliseconds) ms  \(who): \(what)")
    }
}
