import Glibc

/// Sleeps until one of some descriptors is readable or a time has passed.
package struct Wait {
    private var entries: [pollfd]

    /// - Parameter descriptors: Those to watch. Negative ones are ignored, as poll(2) does.
    package init(on descriptors: [Int32]) {
        self.entries = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    }

    /// Returns early when a descriptor is readable, and also on a signal: callers look again at what they own.
    ///
    /// - Parameter longest: Rounded up to whole milliseconds, so that a deadline has passed when this returns.
    /// - Returns: whether it slept; false if something was readable already, or there was no time to sleep.
    @discardableResult
    package mutating func callAsFunction(atMost longest: Duration) -> Bool {
        let (seconds, attoseconds) = longest.components
        let milliseconds = seconds.multipliedReportingOverflow(by: 1_000)
        let rounded = milliseconds.partialValue.addingReportingOverflow(
            (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
        )
        let timeout =
            milliseconds.overflow || rounded.overflow
            ? Int32.max : Int32(clamping: max(0, rounded.partialValue))
        guard self.poll(0) == 0, timeout > 0 else { return false }
        _ = self.poll(timeout)
        return true
    }

    private mutating func poll(_ timeout: Int32) -> Int32 {
        unsafe self.entries.withUnsafeMutableBufferPointer { entries in
            unsafe Glibc.poll(entries.baseAddress, nfds_t(entries.count), timeout)
        }
    }

    /// Whether the descriptor at this place was readable, or in error, when the last wait ended.
    package func isReadable(at index: Int) -> Bool {
        self.entries.indices.contains(index) && self.entries[index].revents != 0
    }
}
