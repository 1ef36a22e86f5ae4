import ServiceKit

/// The usual time until an endpoint answers, and the time for which a call may hang beyond it while other records wait
/// for a slot.
///
/// The median of the answers counts. Calls that hang until their timeout have no answer, and a few slow answers among
/// many do not move it.
struct UsualTime: Sendable {
    /// The median of the times until an answer, in seconds; nil before the first one. Each answer moves it by a sixteenth,
    /// up or down.
    private var median: Double?
    /// The time of the last answer within the shortest patience.
    private var lastInTime = Int64.min
    /// How often calls were cut short although none had been answered in time for as long as the patience.
    private var vainCuts = 0

    private static let step = 1.0625
    /// A median is at least a millisecond and at most a thousand seconds.
    private static let bounds = 0.001...1_000.0
    /// How often the patience doubles at most.
    private static let doublings = 6

    /// The time after which a call is overdue, in nanoseconds: a second, or ten times the usual time if that is longer. No
    /// call is overdue before the first answer: the endpoint may be a slow one.
    ///
    /// It doubles each time that calls are cut short although none has been answered in time lately: an endpoint that has
    /// just become slow for all is soon left alone.
    var patience: Int64 { self.median == nil ? .max : self.shortest << Int64(self.vainCuts) }

    /// Whether calls were cut short and nothing has shown since that others are answered in time.
    var isInDoubt: Bool { self.vainCuts > 0 }

    private var shortest: Int64 { max(1_000_000_000, Int64((self.median ?? 0) * 10 * 1e9)) }

    /// Notes an answer, of whatever kind, to a call that began so many nanoseconds ago.
    mutating func answered(after nanoseconds: Int64, at now: Int64) {
        let seconds = Double(nanoseconds) / 1e9
        if nanoseconds <= self.shortest {
            self.lastInTime = now
            self.vainCuts = 0
        }
        let moved = self.median.map { seconds > $0 ? $0 * Self.step : $0 / Self.step } ?? seconds
        self.median = min(max(moved, Self.bounds.lowerBound), Self.bounds.upperBound)
    }

    /// Notes that calls were cut short.
    mutating func cut(at now: Int64) {
        guard now.subtractingClamped(self.lastInTime) >= self.patience else { return }
        self.vainCuts = min(self.vainCuts + 1, Self.doublings)
    }
}
