import ServiceKit

/// The usual time until an endpoint answers well, and the time for which a call may hang beyond it while other records wait
/// for a slot.
///
/// The median of the answers counts. Calls that hang until their timeout have no answer, and a few slow answers among
/// many do not move it. All times are monotonic nanoseconds.
struct UsualTime: Sendable {
    /// The median of the times until an answer, in seconds; nil before the first one. Each answer moves it by a sixteenth,
    /// up or down.
    private var median: Double?
    /// The time of the last answer within the shortest patience.
    private var lastInTime = Int64.min
    /// How often calls were cut short although none had been answered in time for as long as the patience, and when
    /// last.
    private var vain = (cuts: 0, last: Int64.min)
    /// The calls of records whose call before was cut short: the share that was answered, each call with a weight of an
    /// eighth, and the longest time that lately led to an answer.
    private var seconds = (answered: 0.0, needed: Int64(0))

    private static let step = 1.0625
    /// A median is at least a millisecond and at most a thousand seconds.
    private static let bounds = 0.001...1_000.0
    /// How often the patience doubles at most.
    private static let doublings = 6
    /// The time after which cuts in vain are forgotten.
    private static let memory = Duration.seconds(60)
    /// The time for which cuts in vain put the endpoint in doubt.
    private static let doubt = Duration.seconds(10)

    /// Returns the time after which a call is overdue: a second, or ten times the usual time if that is longer. No call is
    /// overdue before the first answer: the endpoint may be a slow one.
    ///
    /// It doubles each time that calls are cut short although none has been answered in time lately: an endpoint that has
    /// just become slow for all is soon left alone. And if records whose calls were cut short are answered later, calls
    /// have the time that those needed.
    func patience(at now: Int64) -> Int64 {
        guard self.median != nil else { return .max }
        let isRemembered = now.subtractingClamped(self.vain.last) < Self.memory.wholeNanoseconds
        return self.shortest << Int64(isRemembered ? self.vain.cuts : 0)
    }

    /// Returns whether calls were cut short and nothing has shown since that others are answered in time.
    func isInDoubt(at now: Int64) -> Bool {
        self.vain.cuts > 0 && now.subtractingClamped(self.vain.last) < Self.doubt.wholeNanoseconds
    }

    private var shortest: Int64 {
        let usual = max(1_000_000_000, Int64((self.median ?? 0) * 10 * 1e9))
        return self.seconds.answered >= 0.25 ? max(usual, self.seconds.needed) : usual
    }

    /// Notes a good answer to a call that began so many nanoseconds ago.
    mutating func answered(after nanoseconds: Int64, at now: Int64) {
        if nanoseconds <= self.shortest {
            self.lastInTime = now
            self.vain.cuts = 0
        }
        let seconds = Double(nanoseconds) / 1e9
        let moved = self.median.map { seconds > $0 ? $0 * Self.step : $0 / Self.step } ?? seconds
        self.median = min(max(moved, Self.bounds.lowerBound), Self.bounds.upperBound)
    }

    /// Notes the end of a call whose record's call before was cut short.
    mutating func secondCallEnded(isAnswered: Bool, after nanoseconds: Int64) {
        self.seconds.answered += ((isAnswered ? 1 : 0) - self.seconds.answered) / 8
        let faded = self.seconds.needed - self.seconds.needed / 16
        self.seconds.needed = isAnswered ? max(faded, nanoseconds) : faded
    }

    /// Notes that calls were cut short.
    mutating func cut(at now: Int64) {
        guard now.subtractingClamped(self.lastInTime) >= self.patience(at: now) else { return }
        let isRemembered = now.subtractingClamped(self.vain.last) < Self.memory.wholeNanoseconds
        self.vain = (min((isRemembered ? self.vain.cuts : 0) + 1, Self.doublings), now)
    }
}
