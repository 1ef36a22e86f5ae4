import Glibc

/// When a worker ends by itself, and who is told what it took.
package struct RunBound: Sendable {
    /// Take in so many records and no more, and stop once they are settled; nil to run on.
    package var records: Int?
    /// Gets a line of JSON at the end.
    package var report: (@Sendable (String) -> Void)?

    package init(records: Int? = nil, report: (@Sendable (String) -> Void)? = nil) {
        self.records = records
        self.report = report
    }
}

/// What a run took of this process, from the first record in hand to the last one settled.
package struct UsageMeter {
    private struct Reading {
        var monotonic: Int64
        var userMicroseconds: Int64
        var systemMicroseconds: Int64
        var peakKibibytes: Int
    }

    private var start: Reading?
    private var end: Reading?
    private var settled = 0

    package init() {}

    /// Called in every turn; reads the counters only when something has changed for the first or the last time.
    package mutating func note(settled: Int, inHand: Int) {
        if self.start == nil, inHand > 0 || settled > 0 { self.start = Self.read() }
        guard settled > self.settled else { return }
        self.settled = settled
        if inHand == 0 { self.end = Self.read() }
    }

    package func summary(of program: String) -> String {
        guard let start = self.start else { return #"{"program":"\#(program)","records":0}"# }
        let end = self.end ?? Self.read()
        let records = max(1, self.settled)
        let seconds = Double(end.monotonic - start.monotonic) / 1e9
        let user = Double(end.userMicroseconds - start.userMicroseconds) / Double(records)
        let system = Double(end.systemMicroseconds - start.systemMicroseconds) / Double(records)
        var line = JSONLine()
        line.add("program", program)
        line.add("records", Int64(self.settled))
        line.addRaw("seconds", Self.rounded(seconds, 1_000))
        line.addRaw("per_second", Self.rounded(Double(self.settled) / max(seconds, 1e-9), 1))
        line.addRaw("user_us", Self.rounded(user, 100))
        line.addRaw("system_us", Self.rounded(system, 100))
        line.addRaw("cpu_us", Self.rounded(user + system, 100))
        line.add("rss_kib", Int64(end.peakKibibytes))
        return line.text
    }

    private static func rounded(_ value: Double, _ scale: Double) -> String {
        scale == 1 ? String(Int64(value.rounded())) : String((value * scale).rounded() / scale)
    }

    private static func read() -> Reading {
        var usage = rusage()
        unsafe getrusage(Int32(RUSAGE_SELF.rawValue), &usage)
        return Reading(
            monotonic: Moment.now.monotonic,
            userMicroseconds: Int64(usage.ru_utime.tv_sec) * 1_000_000 + Int64(usage.ru_utime.tv_usec),
            systemMicroseconds: Int64(usage.ru_stime.tv_sec) * 1_000_000 + Int64(usage.ru_stime.tv_usec),
            peakKibibytes: usage.ru_maxrss
        )
    }
}
