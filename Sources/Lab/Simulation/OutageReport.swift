/// The measurements of a long outage, and the goals that they must meet.
package struct OutageReport: Sendable {
    /// The least share of its rate before the outage that the other endpoint must keep.
    private static let leastShare = 0.9
    /// The real time within which a worker that takes over must have read the tickets.
    private static let longestTakeover = Duration.seconds(2)

    let records: Int
    let bytesLimit: Int
    /// The records of the other endpoint that were settled per second.
    var rateBefore = 0.0
    var rateDuring = 0.0
    var mostBytesInHand = 0
    var ticketsTakenOver = 0
    /// The real time from the start of the worker that took over until it knew the tickets; nil if it never
    /// did.
    var takeover: Duration?
    /// The simulated time from the end of the outage until no record was parked any more; nil if that never
    /// came.
    var settling: Duration?
    var realSettling = Duration.zero
    /// The real time of the whole run.
    var real = Duration.zero
    var isOrderKept = false
    /// A description of each broken promise.
    package internal(set) var violations: [String] = []

    init(records: Int, bytesLimit: Int) {
        self.records = records
        self.bytesLimit = bytesLimit
    }

    private var share: Double { self.rateDuring / max(self.rateBefore, .leastNonzeroMagnitude) }

    /// The measurements as lines of text.
    package var lines: [String] {
        [
            "other endpoint  \(Self.tenths(self.share * 100)) % of its rate before the outage "
                + "(\(Self.tenths(self.rateDuring)) of \(Self.tenths(self.rateBefore)) records a second)",
            "bytes in hand   \(self.mostBytesInHand) at most, and worker.bytes_limit is \(self.bytesLimit)",
            "takeover        \(self.ticketsTakenOver) tickets in \(Self.seconds(self.takeover)) (real time)",
            "settling        \(self.records) records in \(Self.seconds(self.settling)), "
                + "\(Self.seconds(self.realSettling)) of real time",
            "order of keys   \(self.isOrderKept ? "kept" : "broken")",
            "violations      \(self.violations.isEmpty ? "none" : String(self.violations.count))",
            "real time       \(Self.seconds(self.real))",
        ]
    }

    /// A description of each goal that was missed.
    package var misses: [String] {
        var misses = self.violations.prefix(5).map { "a promise is broken: \($0)" }
        if self.share < Self.leastShare { misses.append("the other endpoint was slowed down") }
        if self.mostBytesInHand > self.bytesLimit { misses.append("more bytes in hand than the limit") }
        if self.ticketsTakenOver < self.records / 2 { misses.append("few of the records were parked") }
        if self.takeover.map({ $0 >= Self.longestTakeover }) ?? true {
            misses.append("the takeover took \(Self.longestTakeover) or more")
        }
        if self.settling == nil { misses.append("not everything was settled") }
        if !self.isOrderKept { misses.append("a key's records were settled out of order") }
        return misses
    }

    private static func tenths(_ number: Double) -> String { String((number * 10).rounded() / 10) }

    private static func seconds(_ duration: Duration?) -> String {
        duration.map { "\(Double(Int($0 / .milliseconds(1))) / 1_000) s" } ?? "no time: never"
    }
}
