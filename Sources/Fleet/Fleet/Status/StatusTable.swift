import Terminal
import WireFormats

/// The workers as a table of at most 80 columns.
struct StatusTable {
    /// A piece of a line in one colour.
    struct Span: Hashable, Sendable {
        var text: String
        var ink = Ink.plain
    }

    /// The columns of the widest line.
    static let width = 80
    /// The largest number of lanes that are shown of one worker.
    static let mostLanes = 8

    /// The lines from top to bottom.
    let lines: [[Span]]

    /// Lays out the sights of workers.
    init(_ sights: [WorkerSight]) {
        let names = sights.map { $0.figures?.name }
        var lines = [[Span(text: Self.head, ink: .bold)]]
        for sight in sights {
            lines.append(Self.row(sight))
            let name = sight.figures?.name
            if name != nil, names.count(where: { $0 == name }) > 1 {
                lines.append([Span(text: "  \(sight.address)", ink: .dim)])
            }
            lines += Self.details(sight)
        }
        let ready = sights.count(where: \.isReady)
        let isGood = ready == sights.count
        lines.append([
            Span(
                text: "\(ready) of \(sights.count) \(sights.count == 1 ? "worker is" : "workers are") ready",
                ink: isGood ? .green : .red
            )
        ])
        self.lines = lines
    }

    /// The table as text, with a line end after each line.
    func text(on display: Display) -> String {
        self.lines.map { line in "\(line.map { display.paint($0.text, $0.ink) }.joined())\n" }.joined()
    }

    // MARK: - Rows

    private static let head = Self.cells(
        "WORKER",
        "STATE",
        numbers: ["PART", "LAG", "FLIGHT", "REC/S", "LETTERS", "OLDEST"]
    )
    /// The columns of the numbers.
    private static let widths = [4, 7, 6, 7, 7, 6]

    private static func cells(_ name: String, _ state: String, numbers: [String]) -> String {
        let head = "\(self.left(name, 26)) \(self.left(state, 9))"
        return zip(numbers, self.widths).reduce(head) { $0 + " " + self.right($1.0, $1.1) }
    }

    private static func row(_ sight: WorkerSight) -> [Span] {
        let (state, ink): (String, Ink) =
            switch sight.condition {
            case .ready: ("ready", .green)
            case .notReady: ("not ready", .yellow)
            case .silent: ("silent", .red)
            }
        guard let figures = sight.figures else {
            let host = sight.address.trimmingPrefix("http://")
            return [Span(text: "\(self.left(String(host), 26)) "), Span(text: state, ink: ink)]
        }
        let numbers = [
            ShownText.count(figures.partitions),
            figures.lag.map(ShownText.count) ?? "-",
            ShownText.count(figures.inFlight),
            sight.rates.map { ShownText.rate($0.settled) } ?? "-",
            ShownText.count(figures.counters.deadLetters),
            figures.oldestUnfinished.map(ShownText.age) ?? "-",
        ]
        let line = self.cells("\(figures.name) \(figures.version)", state, numbers: numbers)
        // The state stands in the columns 27 to 35.
        let start = line.index(line.startIndex, offsetBy: 27)
        let end = line.index(start, offsetBy: 9)
        return [
            Span(text: String(line[..<start])), Span(text: String(line[start..<end]), ink: ink),
            Span(text: String(line[end...])),
        ]
    }

    // MARK: - What is unusual

    private static func details(_ sight: WorkerSight) -> [[Span]] {
        var lines: [[Span]] = []
        switch sight.condition {
        case .ready: break
        case .notReady(let reason): lines += self.wrapped(reason, .yellow)
        case .silent(let reason): lines += self.wrapped(reason, .red)
        }
        guard let figures = sight.figures else { return lines }
        for endpoint in figures.endpoints where endpoint.breaker != .closed {
            lines += self.wrapped("endpoint \(endpoint.name): breaker \(endpoint.breaker.rawValue)", .red)
        }
        for lane in figures.lanes.prefix(self.mostLanes) {
            let hold = lane.reason.map { "held (\($0)), " } ?? ""
            lines += self.wrapped(
                "lane \(lane.name): \(hold)\(ShownText.count(lane.waiting)) waiting in memory",
                .yellow
            )
        }
        if figures.lanes.count > self.mostLanes {
            lines += self.wrapped("and \(figures.lanes.count - self.mostLanes) lanes more", .yellow)
        }
        if figures.parked > 0 {
            let age = ShownText.age(figures.oldestParked)
            lines += self.wrapped(
                "parked: \(ShownText.count(figures.parked)), the oldest for \(age)",
                .yellow
            )
        }
        if let rates = sight.rates, figures.counters.calls > 0 {
            let letters =
                rates.deadLetters > 0 ? ", \(ShownText.rate(rates.deadLetters)) dead letters/s" : ""
            lines += self.wrapped("\(ShownText.rate(rates.calls)) calls/s\(letters)", .dim)
        }
        return lines
    }

    private static func wrapped(_ text: String, _ ink: Ink) -> [[Span]] {
        ShownText.wrap(SafeText.line(text), self.width - 2).map { [Span(text: "  \($0)", ink: ink)] }
    }

    private static func left(_ text: String, _ width: Int) -> String {
        let cut = ShownText.cut(SafeText.line(text), max(width, 1))
        return cut + String(repeating: " ", count: max(0, width - cut.count))
    }

    private static func right(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }
}
