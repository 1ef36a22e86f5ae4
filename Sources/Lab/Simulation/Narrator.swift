import Synchronization

/// Prints the events of a run line by line, so that a developer can examine a seed that fails.
package final class Narrator: Sendable {
    private let print: @Sendable (String) -> Void
    private let time = Mutex<Int64>(0)

    /// Makes a narrator that passes each line to a closure.
    package init(_ print: @escaping @Sendable (String) -> Void) { self.print = print }

    func timeIs(_ monotonic: Int64) { self.time.withLock { $0 = monotonic } }

    /// Prints one line with the simulated time, the name of the component, and the event.
    func tell(_ who: String, _ what: String) {
        let milliseconds = (self.time.withLock { $0 } - 1_000_000_000) / 1_000_000
        self.print("\(milliseconds) ms  \(who): \(what)")
    }
}
