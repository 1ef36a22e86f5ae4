/// How many dead letters a worker may write before it has to stop and ask whether the fault is really theirs.
///
/// One bad record is the record's fault; a thousand in five minutes are a broken schema, a wrong key or a new
/// version of a handler, and a topic that was emptied into the dead letters has to be carried back by hand. So there
/// is a bound on their number, and one on their share of what is settled, both over a window that slides.
///
/// It only counts and answers. A dead letter that is refused leaves no trace: whoever keeps the record asks again.
package struct DeadLetterBudget: Sendable {
    package struct Settings: Hashable, Sendable {
        package var window = Duration.seconds(300)
        /// Most dead letters of one window. The first of a window gets through whatever this says.
        package var letters = 1_000
        /// Share of the settled records that may be dead letters, once there are `minimum` of them in the window.
        package var share = 0.5
        package var minimum = 100

        package init() {}
    }

    /// The bound that is reached, and by what.
    package enum Exhaustion: Hashable, Sendable {
        case letters(Int, window: Duration)
        case share(letters: Int, settled: Int, window: Duration)
    }

    package enum Admission: Hashable, Sendable {
        case yes
        /// With nothing further noted, the answer is yes from this monotonic time on, and not before.
        case no(Exhaustion, until: Int64)
    }

    /// The window slides by this part of itself: what happened is forgotten 59 to 60 of them later.
    private static let parts: Int64 = 60

    private struct Part {
        var number = Int64.min
        var settled = 0
        var letters = 0
    }

    private let settings: Settings
    /// Nanoseconds of one part.
    private let width: Int64
    /// Part `number` of all time is at `number % parts`, until a later one takes its place.
    private var counts = [Part](repeating: Part(), count: Int(parts))

    package init(_ settings: Settings) {
        self.settings = settings
        self.width = max(1, settings.window.wholeNanoseconds / Self.parts)
    }

    /// The broker has everything there is to say about a record.
    package mutating func noteSettled(isDeadLetter: Bool, at now: Int64) {
        let number = now / self.width
        let place = Int(number % Self.parts)
        if self.counts[place].number != number { self.counts[place] = Part(number: number) }
        self.counts[place].settled += 1
        if isDeadLetter { self.counts[place].letters += 1 }
    }

    /// Whether one more dead letter may be written now.
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

    /// Whether there was a dead letter within the window.
    package func hasLetters(at now: Int64) -> Bool {
        let oldest = now / self.width - Self.parts
        return self.counts.contains { $0.number > oldest && $0.letters > 0 }
    }

    /// What speaks against one more dead letter.
    private func exhaustion(_ letters: Int, of settled: Int) -> Exhaustion? {
        // Else a quiet worker with one bad record, or a bound of nought, would stand still for good.
        guard letters > 0 else { return nil }
        let window = self.settings.window
        if letters >= self.settings.letters { return .letters(letters, window: window) }
        let allowed = self.settings.share * Double(settled + 1)
        guard settled >= self.settings.minimum, Double(letters + 1) > allowed else { return nil }
        return .share(letters: letters, settled: settled, window: window)
    }
}

extension DeadLetterBudget.Exhaustion: CustomStringConvertible {
    /// As a sentence for the log, without its full stop.
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
