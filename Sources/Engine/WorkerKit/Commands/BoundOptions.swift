import ArgumentParser
import ServiceKit

/// The options of `run` by which a run ends by itself, and the report at its end.
package struct BoundOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Take in so many records and no more, and stop as if told to once they are settled.",
            discussion: "A record that waits for a retry or for its lane is waited for; SIGTERM ends it.",
            valueName: "records"
        )
    )
    var stopAfter: Int?

    @Option(
        help: ArgumentHelp(
            "Read the input up to this point and no further, and stop once all before it is settled.",
            discussion: """
                'end' is the end of each partition at the start; a time such as 2026-11-26T03:00:00Z, which has to be over, is \
                the first record that is not older; a number is an offset, the same for each partition, and a shorter \
                partition is waited for. Parked records come back as in any run. SIGTERM ends the run as well.
                """,
            valueName: "end|time|offset"
        )
    )
    var until: UntilArgument?

    @Flag(help: "Print a line of JSON at the end: records, seconds, and CPU time per record.")
    var summary = false

    package init() {}

    package func validate() throws {
        guard self.stopAfter ?? 1 > 0 else { throw ValidationError("--stop-after is at least 1.") }
        if case .time(let time) = self.until?.bound, time > Moment.now.wall {
            throw ValidationError(
                "--until takes a time that is over: before a time to come, more records can still be published."
            )
        }
    }

    /// The end of the run and its report, which goes to standard output.
    var bound: RunBound {
        let report: @Sendable (String) -> Void = { StandardStreams.printLine($0) }
        return RunBound(
            records: self.stopAfter,
            until: self.until?.bound,
            report: self.summary ? report : nil
        )
    }
}
