/// The faults for one report, written into its click id. A test that publishes a record can thus decide what
/// happens to its report.
///
///     click id = "sim-" step *( "." step ) [ "-" anything ]
///     step     = kind [ "x" count ]          without a count: always
///     kind     = status [ "after" seconds ]  300 to 599; 429 has Retry-After: 1 unless another is given
///              | "cut" | "cutafter" | "html" | "truncated" | "large" | "hang"
///              | "ret-" code                 the negative of the digits: ret-15 is −15
///              | "slow" milliseconds         judged normally, and answered late
///
/// The steps are used up one after the other, one per request. Afterwards the report is treated like any
/// other.
struct ClickScript: Hashable, Sendable {
    struct Step: Hashable, Sendable {
        /// The fault; nil if the step only delays the response.
        var misbehaviour: Misbehaviour?
        var delayMilliseconds = 0
        /// The number of requests that the step applies to; nil if the step never ends.
        var count: Int?
    }

    private static let prefix = "sim-"

    private let steps: [Step]

    /// Whether the click id starts like a script.
    static func isAskedFor(by clickID: String) -> Bool {
        clickID.hasPrefix(Self.prefix)
    }

    /// Parses a click id; nil if it does not follow the grammar.
    init?(clickID: String) {
        guard Self.isAskedFor(by: clickID) else { return nil }
        var steps: [Step] = []
        var rest = clickID.dropFirst(Self.prefix.count)
        repeat {
            guard let step = Step(parsing: &rest) else { return nil }
            steps.append(step)
        } while rest.take(".")
        guard rest.isEmpty || rest.first == "-" else { return nil }
        self.steps = steps
    }

    /// The step for the next request, after this many earlier requests of the same report; nil if all steps
    /// are used up.
    func step(after earlier: Int) -> Step? {
        var left = earlier
        for step in self.steps {
            guard let count = step.count else { return step }
            if left < count { return step }
            left -= count
        }
        return nil
    }
}

extension ClickScript.Step {
    fileprivate init?(parsing text: inout Substring) {
        if text.take("cutafter") {
            self.init(misbehaviour: .cutAfter)
        } else if text.take("cut") {
            self.init(misbehaviour: .cutBefore)
        } else if text.take("html") {
            self.init(misbehaviour: .proxyPage)
        } else if text.take("truncated") {
            self.init(misbehaviour: .truncate)
        } else if text.take("large") {
            self.init(misbehaviour: .enlarge)
        } else if text.take("hang") {
            self.init(misbehaviour: .hang)
        } else if text.take("ret-") {
            guard let code = text.takeNumber() else { return nil }
            self.init(misbehaviour: .ret(GDTRet(rawValue: -code)))
        } else if text.take("slow") {
            guard let milliseconds = text.takeNumber() else { return nil }
            self.init(delayMilliseconds: milliseconds)
        } else {
            guard let status = text.takeNumber(), (300...599).contains(status) else { return nil }
            var retryAfter = status == 429 ? 1 : nil
            if text.take("after") {
                guard let seconds = text.takeNumber() else { return nil }
                retryAfter = seconds
            }
            self.init(misbehaviour: .status(status, retryAfterSeconds: retryAfter))
        }
        if text.take("x") {
            guard let count = text.takeNumber() else { return nil }
            self.count = count
        }
    }
}

extension Substring {
    /// Removes `word` if the text starts with it.
    ///
    /// - Returns: whether it was removed.
    fileprivate mutating func take(_ word: String) -> Bool {
        guard self.hasPrefix(word) else { return false }
        self = self.dropFirst(word.count)
        return true
    }

    /// Removes the digits at the start of the text.
    ///
    /// - Returns: the number; nil if there are no digits or more than nine.
    fileprivate mutating func takeNumber() -> Int? {
        let digits = self.prefix { $0.isASCII && $0.isNumber }
        guard digits.count <= 9, let number = Int(digits) else { return nil }
        self = self.dropFirst(digits.count)
        return number
    }
}
