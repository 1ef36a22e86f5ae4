import ServiceKit

/// The part of a rate that is left while the upstream throttles calls. It falls fast and rises slowly.
///
/// The rule is RudderStack's for destinations that answer 429. Time is cut into windows. A window with too
/// many throttled calls takes 30 % off, and the window after it is ignored: its calls were made before the
/// fall had any effect. Two quiet windows in a row add 10 % again. A window without any call is a quiet one,
/// so an upstream that is not called recovers: from the least factor of 0.05 back to 1 it takes a little over
/// a minute.
package struct ThrottleFactor: Sendable {
    /// The length of the windows and the size of the steps.
    package struct Settings: Hashable, Sendable {
        /// The length of a window.
        package var window = Duration.seconds(1)
        /// The share of throttled calls above which a window is not quiet.
        package var tolerance = 0.1
        /// The least factor: above 0, and at most 1.
        package var least = 0.05
        /// The part of the factor that is taken off after a window that was not quiet.
        package var fall = 0.3
        /// The part of the factor that is added after quiet windows.
        package var rise = 0.1
        /// The number of quiet windows in a row after which the factor rises.
        package var patience = 2

        /// Makes the default settings.
        package init() {}
    }

    /// The current factor, from `least` to 1.
    package private(set) var factor = 1.0
    /// The monotonic time at which the current window ends, in nanoseconds.
    private(set) var windowEnd: Int64
    private let settings: Settings
    private let width: Int64
    private var calls = 0
    private var throttled = 0
    private var quietWindows = 0
    /// Whether the current window is the one after a fall.
    private var isWaiting = false

    /// Makes a factor of 1, with a first window that begins now. Settings out of range are a mistake of the
    /// program, which ends it.
    package init(_ settings: Settings, at now: Int64) {
        precondition(
            settings.least > 0 && settings.least <= 1,
            "a factor of \(settings.least) lets nothing through"
        )
        precondition(
            settings.fall > 0 && settings.fall < 1 && settings.rise > 0,
            "a factor has to fall and to rise"
        )
        self.settings = settings
        self.width = max(1, settings.window.wholeNanoseconds)
        self.windowEnd = now.addingClamped(self.width)
    }

    /// Whether time alone changes nothing more.
    var isSettled: Bool { self.factor == 1 && self.calls == 0 && !self.isWaiting }

    /// Counts a call of the current window that came back. `advance` must have been told the time before.
    mutating func note(throttled: Bool) {
        self.calls += 1
        if throttled { self.throttled += 1 }
    }

    /// Closes the windows that have ended. Where nothing changes, the next window starts now.
    mutating func advance(to now: Int64) {
        while self.windowEnd <= now, !self.isSettled {
            self.closeWindow()
            self.windowEnd = self.windowEnd.addingClamped(self.width)
        }
        if self.windowEnd <= now { self.windowEnd = now.addingClamped(self.width) }
    }

    private mutating func closeWindow() {
        let isQuiet = Double(self.throttled) <= self.settings.tolerance * Double(self.calls)
        (self.calls, self.throttled) = (0, 0)
        if self.isWaiting {
            self.isWaiting = false
        } else if isQuiet {
            self.quietWindows += 1
            guard self.quietWindows >= self.settings.patience else { return }
            self.quietWindows = 0
            self.factor = min(1, self.factor * (1 + self.settings.rise))
        } else {
            self.quietWindows = 0
            self.isWaiting = true
            self.factor = max(self.settings.least, self.factor * (1 - self.settings.fall))
        }
    }
}
