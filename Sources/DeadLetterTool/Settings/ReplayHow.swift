import ArgumentParser
import DeadLetters
import Terminal
import WireFormats

/// How a replay is done.
struct ReplayHow: ParsableArguments {
    @Option(help: ArgumentHelp("Another topic than the one each came from.", valueName: "topic"))
    var to: String?

    @Option(help: "Records a second.")
    var rate: Double?

    @Option(name: .customLong("max"), help: "Letters at most; the oldest go first.")
    var maximum = 10_000

    @Option(help: "How often a record may be replayed in its life.")
    var maxReplays = 3

    @Flag(help: "Also what was replayed or discarded before, too often, or cannot be helped by it.")
    var force = false

    @Flag(
        help:
            "Do it although somebody else is at it: theirs ends, and what they have replayed is not replayed again."
    )
    var takeOver = false

    @Option(
        help:
            "Which time the record has: that of the original, or now. A worker's deadline counts from it, and so does the age of a device token."
    )
    var timestamp = ReplayedRecord.TimestampPolicy.original

    func validate() throws {
        guard (1...ReplayOptions.largestMaximum).contains(self.maximum) else {
            throw ValidationError("--max is from 1 to \(ReplayOptions.largestMaximum).")
        }
        if let rate {
            guard rate.isFinite, (0.01...1_000_000).contains(rate) else {
                throw ValidationError("--rate is from 0.01 to 1000000.")
            }
        }
        guard self.maxReplays >= 1 else { throw ValidationError("--max-replays is at least 1.") }
    }

    /// Two at once would end each other.
    func giveWay(to other: Desk.UnderWay?, _ now: Int64) throws {
        guard let other, !self.takeOver else { return }
        let because = other.because.isEmpty ? "" : ", because \(SafeText.line(other.because, limit: 200))"
        Console.complain(
            """
            \(SafeText.line(other.by)) is at it: \(other.batch), \(other.done) of \(other.planned) replayed\(because); \
            last seen \(Words.age(other.at, now: now)) ago. Wait, or --take-over. Nothing was done.
            """
        )
        throw ExitCode.takenOver
    }

    var options: ReplayOptions {
        var options = ReplayOptions()
        options.target = self.to
        options.rate = self.rate
        options.maximum = self.maximum
        options.replayLimit = self.maxReplays
        options.force = self.force
        options.timestamp = self.timestamp
        return options
    }
}

extension ReplayedRecord.TimestampPolicy: ExpressibleByArgument {}
