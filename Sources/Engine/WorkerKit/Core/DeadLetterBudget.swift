import ServiceKit

/// The number of dead letters that may be written before further ones have to wait.
///
/// A single bad record is the record's fault. A thousand in five minutes are the sign of a broken schema, a
/// wrong key or a new version of a handler, and a topic that was emptied into the dead letters has to be
/// carried back by hand. So there are two bounds over a sliding window: one on the number of dead letters,
/// and one on their share of the settled records.
///
/// The budget only counts and answers. A refused dead letter leaves no trace in it; the caller keeps the
/// record and asks again.
package struct DeadLetterBudget: Sendable {
    /// The window and the two bounds.
    package struct Settings: Hashable, Sendable {
        /// The time over which records are counted.
        package var window = Duration.seconds(300)
        /// The number of dead letters in one window from which on further ones are refused. The first dead
        /// letter of a window is admitted whatever the settings say.
        package var letters = 1_000
        /// The share of the settled records that may be dead letters, once there are `minimum` settled
        /// records in the window.
        package var share = 0.5
        /// The number of settled records in the window from which `share` is judged.
        package var minimum = 100

        /// Makes the default settings.
        package init() {}
    }

    /// The bound that is reached, with the counts that reached it.
    package enum Exhaustion: Hashable, Sendable {
        case letters(Int, window: Duration)
        case share(letters: Int, settled: Int, window: Duration)
    }

    /// The answer to the question whether a dead letter may be written.
    package enum Admission: Hashable, Sendable {
        case yes
        /// The dead letter is refused. If nothing further is noted, the answer is yes from this monotonic
        /// time on, and not before.
        case no(Exhaustion, until: Int64)
    }

    /// The window slides in steps of this part of itself, so a record is forgotten 59 to 60 steps later.
    private static let parts: Int64 = 60

    private struct Part {
        var number = Int64.min
        var settled = 0
        var letters = 0
    }

    private let settings: Settings
    /// The length of one part, in nanoseconds.
    private let width: Int64
    /// The counts of the parts. Part number `n` of all time is at `n % parts`, until a later part takes its
    /// place.
    private var counts = [Part](repeating: Part(), count: Int(parts))

    /// Makes a budget that has counted nothing.
    package init(_ settings: Settings) {
        self.settings = settings
        self.width = max(1, settings.window.wholeNanoseconds / Self.parts)
    }

    /// Counts a record whose outcome is about to be written, as a dead letter or not.
    package mutating func noteSettled(isDeadLetter: Bool, at now: Int64) {
        let number = now / self.width
        let place = Int(number % Self.parts)
        if self.counts[place].number != number { self.counts[place] = Part(number: number) }
        self.counts[place].settled += 1
        if isDeadLetter { self.counts[place].letters += 1 }
    }

    /// Returns whether one more dead letter may be written now.
    package func admits(at now: Int64) -> Admission {
        let oldest = now / self.width - Self.parts
        let window = self.counts.filter { $0.number > oldest }.sorted { $0.number < $1.number }
        var settled = window.reduce(0) { $0 + $1.settled }
        var letters = window.reduce(0) { $0 + $1.letters }
        guard let exhaustion = self.exhaustion(letters, of: settled) else { return .yes }
        for part in window {
            settled -= part.settled
            letters -= part.letters
            guard self.exhaustion(letters, of: settled) == nil else { continue }
            return .no(exhaustion, until: (part.number * self.width).addingClamped(Self.parts * self.width))
        }
        preconditionFailure("a window without letters is exhausted")
    }

    /// Returns whether there was a dead letter within the window.
    package func hasLetters(at now: Int64) -> Bool {
        let oldest = now / self.width - Self.parts
        return self.counts.contains { $0.number > oldest && $0.letters > 0 }
    }

    /// Returns the bound that one more dead letter would break; nil if there is none.
    private func exhaustion(_ letters: Int, of settled: Int) -> Exhaustion? {
        // Otherwise a quiet worker with one bad record, or a bound of zero, would stop for good.
        guard letters > 0 else { return nil }
        let window = self.settings.window
        if letters >= self.settings.letters { return .letters(letters, window: window) }
        let allowed = self.settings.share * Double(settled + 1)
        guard settled >= self.settings.minimum, Double(letters + 1) > allowed else { return nil }
        return .share(letters: letters, settled: settled, window: window)
    }
}

extension DeadLetterBudget.Exhaustion: CustomStringConvertible {
    /// A sentence for the log, without its full stop.
    package var description: String {
        switch self {
        case .letters(let letters, let window):
            "\(letters) records settled in the last \(window.inWords) were dead letters"
        case .share(let letters, let settled, let window):
            "\(letters) of \(settled) records settled in the last \(window.inWords) were dead letters"
        }
    }
}

extension Duration {
    fileprivate var inWords: String {
        let seconds = self.components.seconds
        return seconds >= 60 && seconds % 60 == 0 ? "\(seconds / 60) min" : "\(self.formattedSeconds) s"
    }

    private var formattedSeconds: String {
        let milliseconds = self.wholeMilliseconds
        return milliseconds % 1_000 == 0 ? "\(milliseconds / 1_000)" : "\(Double(milliseconds) / 1_000)"
    }
}
