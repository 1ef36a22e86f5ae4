import Glibc

/// Sleeps until one of several descriptors is readable or a time has passed.
///
/// The waiting thread keeps one value of this type and calls it again and again.
package struct Wait {
    private var entries: [pollfd]

    /// Makes a wait for these descriptors.
    ///
    /// - Parameter descriptors: the descriptors to watch. Negative ones are ignored, as poll(2) does.
    package init(on descriptors: [Int32]) {
        self.entries = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    }

    /// Watches this descriptor from now on in place of the one at this index.
    ///
    /// - Parameter descriptor: the descriptor to watch. A negative one is ignored, as poll(2) does.
    package mutating func watch(_ descriptor: Int32, at index: Int) {
        self.entries[index].fd = descriptor
    }

    /// Waits until a descriptor is readable, but no longer than a duration.
    ///
    /// The wait also ends early on a signal, so the caller looks again at everything that it owns.
    ///
    /// - Parameter longest: the longest time to sleep. It is rounded up to whole milliseconds, so that a
    ///   deadline has passed when this returns.
    /// - Returns: whether the thread slept; false if a descriptor was readable already, or `longest` was not
    ///   above zero.
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

    /// Returns whether the descriptor at this index was readable, or in error, when the last wait ended.
    package func isReadable(at index: Int) -> Bool {
        self.entries.indices.contains(index) && self.entries[index].revents != 0
    }
}
