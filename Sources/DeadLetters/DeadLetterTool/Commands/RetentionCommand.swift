import ArgumentParser
import DeadLetters
import Operations
import Terminal
import WireFormats

/// `dead-letters retention`: shows which open letters the broker will delete soon.
struct RetentionCommand: WaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "retention",
        abstract: "Say which open dead letters the broker will delete soon.",
        discussion: "Exit code 3 if there are any."
    )

    @OptionGroup var options: DeskOptions

    @Option(help: "The time that counts as soon: 24h, 2d.")
    var within: DurationArgument = DurationArgument(.seconds(86_400))

    func carryOut(until wish: StopWish) throws {
        let now = Timestamp.now.millisecondsSince1970
        let views = try self.options.desk().retention(soon: self.within.milliseconds)
        if self.options.json {
            try JSONDocument.print(views.map(Form.init))
        } else {
            for view in views { Console.line(Self.sentence(view, now)) }
            if views.isEmpty { Console.line("No topics of dead letters.") }
        }
        if views.contains(where: { $0.goingSoon > 0 }) { throw ExitCode.inPart }
    }

    /// Returns the figures of a topic in one line.
    private static func sentence(_ view: RetentionView, _ now: Int64) -> String {
        var text = "\(SafeText.line(view.topic)): \(Words.count(view.open, "open letter"))"
        if view.isUnknown { return text + "; the cluster does not tell how long it keeps them" }
        text +=
            view.keeps.map { ", kept for \(Words.age(now - $0, now: now))" }
            ?? ", kept without a bound of time"
        if let bytes = view.bytes { text += ", at most \(bytes) bytes of a partition" }
        if let first = view.firstGoes {
            text +=
                first > now
                ? "; the oldest goes in \(Words.age(now, now: first))" : "; the oldest may go at any time"
        }
        if view.goingSoon > 0 { text += ". SOON GONE: \(view.goingSoon)" }
        return text
    }

    /// The figures of a topic as JSON.
    struct Form: Encodable {
        var topic: String
        var retentionMilliseconds: Int64?
        var retentionBytes: Int64?
        var open: Int
        var goingSoon: Int
        var firstGoes: String?
        var isUnknown: Bool

        init(_ view: RetentionView) {
            self.topic = view.topic
            self.retentionMilliseconds = view.keeps
            self.retentionBytes = view.bytes
            self.open = view.open
            self.goingSoon = view.goingSoon
            self.firstGoes = view.firstGoes.map(Words.time)
            self.isUnknown = view.isUnknown
        }
    }
}
