/// What is left of a rate whose calls are throttled: falls fast, rises slowly.
///
/// RudderStack's rule for destinations that answer 429. Time is cut into windows. One with too many throttled calls
/// takes 30 % off, and the window after it is not looked at: its calls were made before that had any effect. Two
/// quiet windows in a row put 10 % on again. A window without any call is a quiet one, for an upstream that nobody
/// calls recovers: from the least factor of 0.05 back to 1 it takes a little over a minute.
package struct ThrottleFactor: Sendable {
    package struct Settings: Hashable, Sendable {
        package var window = Duration.seconds(1)
        /// Above this share of throttled calls, a window is not quiet.
        package var tolerance = 0.1
        package var least = 0.05
        package var fall = 0.3
        package var rise = 0.1
        /// Quiet windows in a row after which it rises.
        package var patience = 2

        package init() {}
    }

    package private(set) var factor = 1.0
    /// The monotonic time at which the current window ends.
    private(set) var windowEnd: Int64
    private let settings: Settings
    private let width: Int64
    private var calls = 0
    private var throttled = 0
    private var quietWindows = 0
    /// The current window is the one after a fall.
    private var isWaiting = false

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

    /// A call of the current window came back. `advance` must have been told the time.
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
