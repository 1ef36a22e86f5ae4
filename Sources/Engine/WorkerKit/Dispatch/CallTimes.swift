import ServiceKit

/// The time that the calls of one endpoint take, those that hang included.
///
/// Calls that have ended tell only of themselves: an endpoint that answers a few calls at once and lets all others hang
/// looks quick until the first of these ends. So calls that are out for more than a second count too.
///
/// All times are monotonic nanoseconds.
struct CallTimes: Sendable {
    /// The mean time of the calls that have ended, in seconds. Each call weighs an eighth, and those before it
    /// the rest. An endpoint that nobody has called yet may be a slow one.
    private var mean = 2.0
    private var firstCall: Int64?
    /// The number of calls in flight, by the second in which they began.
    private var out: [Int64: Int] = [:]

    private static let second = Duration.seconds(1).wholeNanoseconds

    mutating func began(at now: Int64) {
        self.firstCall = self.firstCall ?? now
        self.out[now / Self.second, default: 0] += 1
    }

    /// A time at which the oldest call that is out began, or up to a second earlier; nil if none is out.
    var oldest: Int64? { self.out.keys.min().map { $0 * Self.second } }

    /// Notes the time of a call whose transfer is over.
    mutating func took(_ nanoseconds: Int64) { self.mean += (Double(nanoseconds) / 1e9 - self.mean) / 8 }

    /// Notes that a call is no longer out.
    mutating func ended(began: Int64) {
        let second = began / Self.second
        guard let count = self.out[second] else { return }
        self.out[second] = count > 1 ? count - 1 : nil
    }

    /// The time from which `areShort` can be true; nil before the first call.
    var judgedFrom: Int64? { self.firstCall?.addingClamped(2 * Self.second) }

    /// Returns whether calls take at most a second on average. If most calls hang until their timeout, a few quick ones
    /// among them do not make the endpoint quick. In the two seconds after the first call nobody knows which of them hang.
    func areShort(at now: Int64) -> Bool {
        guard self.mean <= 1, let judgedFrom, now >= judgedFrom else { return false }
        var (count, milliseconds): (Int, Int64) = (0, 0)
        for (second, calls) in self.out {
            let age = now - (second + 1) * Self.second
            guard age >= Self.second else { continue }
            count += calls
            milliseconds = milliseconds.addingClamped(age / 1_000_000 * Int64(calls))
        }
        guard count > 0 else { return true }
        // On average, a call that is looked at while it hangs has taken half of its time.
        let hanging = 2 * Double(milliseconds) / Double(count) / 1_000
        let weight = (0..<min(count, 64)).reduce(1.0) { rest, _ in rest * 7 / 8 }
        return self.mean * weight + hanging * (1 - weight) <= 1
    }
}
