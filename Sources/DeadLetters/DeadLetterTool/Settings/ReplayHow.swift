import ArgumentParser
import DeadLetters
import EventThread
import Operations
import Terminal
import WireFormats

/// The options that say how to replay.
struct ReplayHow: ParsableArguments {
    @Option(help: ArgumentHelp("Another topic than the one each came from.", valueName: "topic"))
    var to: String?

    @Option(help: "Records a second.")
    var rate: Double?

    @Option(name: .customLong("max"), help: "Letters at most; the oldest go first.")
    var maximum = 10_000

    @Option(
        help: ArgumentHelp(
            "Wait until this time in UTC before the first record: 03:00, or 2026-11-26T03:00:00Z.",
            valueName: "time"
        )
    )
    var notBefore: StartArgument?

    @Option(
        help: ArgumentHelp(
            "Replay so many first, and the others only when each of these has succeeded.",
            valueName: "letters"
        )
    )
    var canary: Int?

    @Option(
        help: ArgumentHelp("How long to wait for the outcomes of --canary.", valueName: "seconds")
    )
    var canaryWait = 300

    @Option(
        help: ArgumentHelp(
            "Stop when so many of the replayed records have died again, were rejected or have expired.",
            valueName: "letters"
        )
    )
    var stopAfterDeaths: Int?

    @Option(help: "How often a record may be replayed in its life.")
    var maxReplays = 3

    @Flag(
        help:
            "Also what was replayed without success or discarded before, too often, or cannot be helped by it."
    )
    var force = false

    @Flag(help: "Also what has succeeded after a replay: its upstream does the work a second time.")
    var again = false

    @Flag(
        help:
            "Do it at once although somebody else is at it, or was when they were killed: theirs ends, and what they have replayed is not replayed again."
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
        guard (1...ReplayOptions.largestMaximum).contains(self.canary ?? 1),
            (1...ReplayOptions.largestMaximum).contains(self.stopAfterDeaths ?? 1),
            (1...86_400).contains(self.canaryWait)
        else { throw ValidationError("--canary, --canary-wait and --stop-after-deaths are at least 1.") }
        guard self.maxReplays >= 1 else { throw ValidationError("--max-replays is at least 1.") }
    }

    /// Waits for the time of `--not-before`, and for a replay of another process, because two replays at once would
    /// fence each other.
    ///
    /// A replay whose process was killed has no last entry in the audit trail. The wait finds that out: such
    /// a replay makes no progress for `Desk.longestSilence`.
    ///
    /// - Returns: whether the plan has to be made again, because letters may have changed during the wait.
    /// - Throws: `ExitCode.takenOver` if the other replay makes progress, `ExitCode.interrupted` after a
    ///   signal.
    func giveWay(at desk: Desk, until wish: StopWish) throws -> Bool {
        let hasWaitedForTime = try self.waitForTime(until: wish)
        if hasWaitedForTime { try desk.refresh() }
        guard !self.takeOver else { return hasWaitedForTime }
        var wait = Wait(on: [wish.descriptor])
        let passing = try desk.letPass { other, milliseconds in
            Console.complain(
                """
                \(Self.line(other)). Unless it goes on, it was killed, and this replay begins by itself in \
                \(Words.count(Int((milliseconds + 999) / 1_000), "second")); --take-over does not wait.
                """
            )
        } pause: {
            wait(atMost: $0)
            return wish.count == 0
        }
        switch passing {
        case .isFree(let hasWaited): return hasWaited || hasWaitedForTime
        case .isAlive(let other):
            Console.complain("\(Self.line(other)). Wait, or --take-over. Nothing was done.")
            throw ExitCode.takenOver
        case .wasStopped: throw ExitCode.interrupted
        }
    }

    /// Waits for the time of `--not-before`.
    ///
    /// - Returns: Whether it had not come yet.
    /// - Throws: `ExitCode.interrupted` after a signal.
    private func waitForTime(until wish: StopWish) throws -> Bool {
        let now = Timestamp.now.millisecondsSince1970
        guard let start = self.notBefore?.milliseconds(after: now), start > now else { return false }
        Console.complain("Begins at \(Words.time(start)); Ctrl-C ends the wait.")
        var wait = Wait(on: [wish.descriptor])
        while case let left = start - Timestamp.now.millisecondsSince1970, left > 0 {
            // A minute at most, because the wall clock may be set meanwhile.
            wait(atMost: .milliseconds(min(left, 60_000)))
            guard wish.count == 0 else { throw ExitCode.interrupted }
        }
        return true
    }

    /// Returns a sentence about the replay of another process.
    private static func line(_ other: Desk.UnderWay) -> String {
        let because = other.because.isEmpty ? "" : ", because \(SafeText.line(other.because, limit: 200))"
        return
            "\(SafeText.line(other.by)) is at it: \(other.batch), \(other.done) of \(other.planned) replayed\(because)"
    }

    /// The options as `ReplayOptions`, without a reason.
    var options: ReplayOptions {
        var options = ReplayOptions()
        options.target = self.to
        options.rate = self.rate
        options.maximum = self.maximum
        options.replayLimit = self.maxReplays
        options.force = self.force
        options.again = self.again
        options.timestamp = self.timestamp
        return options
    }
}

extension ReplayedRecord.TimestampPolicy: ExpressibleByArgument {}
