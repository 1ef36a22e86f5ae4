import Glibc

/// The end of a run that ends by itself, and the report on what it took.
package struct RunBound: Sendable {
    /// The number of records to take in. The run stops once they are settled; with nil, it goes on.
    package var records: Int?
    /// The point up to which the input is read. The run stops once each record before it is settled.
    package var until: ReadBound?
    /// Called at the end with a line of JSON.
    package var report: (@Sendable (String) -> Void)?

    package init(
        records: Int? = nil,
        until: ReadBound? = nil,
        report: (@Sendable (String) -> Void)? = nil
    ) {
        self.records = records
        self.until = until
        self.report = report
    }
}

/// The resources that a run took of this process, from the first record in hand to the last one settled.
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

    /// Notes the counts of one turn; call it in every turn.
    ///
    /// The process's counters are read at the first record, and each time that records were settled and none
    /// is in hand. A caller that always says that none is in hand gets a meter that begins after its first
    /// settled records.
    package mutating func note(settled: Int, inHand: Int) {
        if self.start == nil, inHand > 0 || settled > 0 { self.start = Self.read() }
        guard settled > self.settled else { return }
        self.settled = settled
        if inHand == 0 { self.end = Self.read() }
    }

    /// Returns a line of JSON: the records, the seconds and the CPU time that they took, and the peak of the
    /// memory.
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
