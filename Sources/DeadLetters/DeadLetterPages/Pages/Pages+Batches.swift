import DeadLetters
import WebPages
import WireFormats

extension Pages {
    /// The number of replays that the list shows.
    private static let batchesLimit = 200
    /// The number of letters that the page of a replay shows.
    private static let replaysLimit = 50

    /// Shows the replays, the latest first.
    func batches(_ visit: Visit) throws -> PageAnswer {
        let model = BatchesModel(
            frame: self.frame(
                "Replays",
                visit,
                at: "/replays",
                command: TerminalCommand.text(["outcomes"])
            ),
            rows: try self.index.batches(limit: Self.batchesLimit).map {
                BatchesModel.Line($0, now: visit.now)
            }
        )
        return .page(try self.templates.render(model, with: .batches))
    }

    /// Shows one replay: its progress while it runs, and its outcomes after that.
    func batch(_ visit: Visit, _ name: String) throws -> PageAnswer {
        let running = self.runner.running.flatMap { $0.report.batch == name ? $0 : nil }
        let ended = self.runner.ended(name)
        let view = try self.index.batches(limit: 1, batch: name).first
        guard running != nil || ended != nil || view != nil else {
            return self.message(
                visit,
                .notFound,
                heading: "No such replay",
                sentences: ["Nothing is known of \(SafeText.line(name, limit: 60))."],
                next: "/replays",
                nextLabel: "To the replays"
            )
        }
        var frame = self.frame(
            "Replay \(SafeText.line(name, limit: 60))",
            visit,
            at: "/replays/" + name,
            command: TerminalCommand.text(["outcomes", name])
        )
        let isOpen = view.map { $0.counts[.replayed, default: 0] > 0 } ?? false
        // The index may not have read yet all that this process has replayed.
        let isBehind = (ended?.report.done ?? 0) > (view?.total ?? 0)
        if running != nil { frame.reload = 1 } else if isOpen || isBehind { frame.reload = 3 }
        let replays = try self.index.replays(batch: name, limit: Self.replaysLimit)
        let model = BatchModel(
            name,
            view,
            running: running,
            ended: ended,
            replays: replays,
            frame: frame,
            now: visit.now
        )
        return .page(try self.templates.render(model, with: .batch))
    }
}

/// The values of the template `batches`.
struct BatchesModel: Sendable {
    struct Line: Sendable {
        var batch: String
        var ago: String
        var time: String
        var machine: String
        var by: String
        var outcome: String
        var targets: String
        var because: String

        init(_ view: BatchView, now: Int64) {
            self.batch = SafeText.line(view.batch, limit: 60)
            self.ago = Shown.ago(view.at, now: now)
            self.time = Shown.time(view.at)
            self.machine = Shown.machineTime(view.at)
            self.by = SafeText.line(view.by, limit: 128)
            self.outcome = Outcome.sentence(view)
            self.targets = view.targets.map { SafeText.line($0, limit: 120) }.joined(separator: ", ")
            self.because = SafeText.line(view.because, limit: 300)
        }
    }

    var frame: Frame
    var rows: [Line]
}

/// Sentences about how a replay ended.
enum Outcome {
    /// Returns the outcomes in one line: `120 replayed: 117 succeeded, 3 dead again, 0 open`.
    static func sentence(_ view: BatchView) -> String {
        let always: Set<LetterState> = [.succeeded, .deadAgain]
        let ended = LetterState.allCases.filter { state in
            state != .open && state != .replayed && state != .discarded
                && (always.contains(state) || view.counts[state, default: 0] > 0)
        }
        let parts = ended.map { "\(Shown.number(view.counts[$0, default: 0])) \(StateWords.phrase($0))" }
        let open = "\(Shown.number(view.counts[.replayed, default: 0])) open"
        return "\(Shown.number(view.total)) replayed: \((parts + [open]).joined(separator: ", "))"
    }

    /// Returns why a replay ended before all its letters.
    static func sentence(_ interruption: ReplayReport.Interruption) -> String {
        switch interruption {
        case .asked: "It was stopped."
        case .takenOver: "Somebody else has begun to replay or discard, so this one ended."
        case .failed(let reason): "The cluster did not take all of it: \(SafeText.line(reason, limit: 300))"
        }
    }
}

/// The values of the template `batch`.
struct BatchModel: Sendable {
    struct Progress: Sendable {
        var progressWords: String
        var planned: String
        var done: String
        var stoppable: Bool
    }

    struct Part: Sendable {
        var part: String
        var partClass: String
        var partCount: String
    }

    struct Line: Sendable {
        var id: String
        var short: String
        var state: String
        var stateClass: String
        var why: String
        var sent: String
        var to: String
    }

    var frame: Frame
    var batch: String
    var outcome: String
    var sentences: [String]
    var progress: Progress?
    var hasParts: Bool
    var parts: [Part]
    var hasReplays: Bool
    var replays: [Line]
    var caption: String
    var facts: [LetterModel.Fact]

    init(
        _ name: String,
        _ view: BatchView?,
        running: ReplayRunner.Running?,
        ended: ReplayRunner.Ended?,
        replays: [ReplayView],
        frame: Frame,
        now: Int64
    ) {
        self.frame = frame
        self.batch = SafeText.line(name, limit: 60)
        self.outcome =
            view.map { Outcome.sentence($0) } ?? (running == nil ? "Nothing replayed" : "Beginning …")
        self.sentences = ended.map { Self.sentences($0, shown: view?.total ?? 0) } ?? []
        self.progress = running.map { Self.progress($0) }
        self.parts = LetterState.allCases.compactMap { state in
            guard let count = view?.counts[state], count > 0 else { return nil }
            return Part(part: Self.phrase(state), partClass: state.word, partCount: Shown.number(count))
        }
        self.hasParts = !self.parts.isEmpty
        self.replays = replays.map { Self.line($0, now: now) }
        self.hasReplays = !replays.isEmpty
        let total = view?.total ?? 0
        self.caption =
            total > replays.count
            ? "\(Shown.number(replays.count)) of \(Shown.number(total)), what did not succeed first"
            : "Replays that did not succeed come first"
        self.facts = [
            LetterModel.Fact(fact: "Who", value: SafeText.line(view?.by ?? running?.user ?? "", limit: 128)),
            LetterModel.Fact(
                fact: "Why",
                value: SafeText.line(view?.because ?? running?.because ?? "", limit: 500)
            ),
            LetterModel.Fact(
                fact: "Began",
                value: (view?.at ?? running?.startedAt).map { Shown.time($0) } ?? ""
            ),
        ].filter { !$0.value.isEmpty }
    }

    /// Returns the word for the state of a replay. A replay without an outcome and without a new letter is
    /// still in flight.
    private static func phrase(_ state: LetterState) -> String {
        state == .replayed ? "no outcome yet" : StateWords.phrase(state)
    }

    /// Returns the values of the progress bar.
    private static func progress(_ running: ReplayRunner.Running) -> Progress {
        let (done, planned) = (running.report.done, running.report.planned)
        return Progress(
            progressWords: running.isStopping
                ? "Stopping after \(Shown.number(done)) of \(Shown.number(planned))"
                : "\(Shown.number(done)) of \(Shown.number(planned)) sent",
            planned: String(planned),
            done: String(done),
            stoppable: !running.isStopping
        )
    }

    /// Returns the sentences about a replay that this process has ended.
    ///
    /// - Parameter shown: the number of replayed letters that the index knows, as the page says above.
    private static func sentences(_ ended: ReplayRunner.Ended, shown: Int) -> [String] {
        var sentences: [String] = []
        if let failure = ended.failure {
            sentences.append("It could not be begun: \(SafeText.line(failure, limit: 500))")
        }
        if let interruption = ended.report.interruption { sentences.append(Outcome.sentence(interruption)) }
        let (done, planned) = (ended.report.done, ended.report.planned)
        if done < planned {
            sentences.append("\(Shown.number(done)) of \(Shown.count(planned, "letter")) were sent.")
        }
        if done > shown {
            let unread = Shown.count(done - shown, "letter")
            sentences.append("\(unread) of those that were sent are not counted above yet.")
        }
        for (refusal, count) in ended.report.skipped.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            sentences.append(
                "Skipped at the last moment: \(Shown.count(count, "letter")) (\(refusal.sentence))."
            )
        }
        if ended.report.left > 0 {
            sentences.append(
                "\(Shown.count(ended.report.left, "letter")) left. A new dry run goes on with these."
            )
        }
        return sentences
    }

    /// Returns the line of one replayed letter.
    private static func line(_ view: ReplayView, now: Int64) -> Line {
        Line(
            id: "\(view.letter)",
            short: LetterLine.short(view.letter),
            state: Self.phrase(view.state),
            stateClass: view.state.word,
            why: view.reason.map { SafeText.line($0, limit: 120) } ?? "",
            sent: Shown.ago(view.at, now: now),
            to: SafeText.line(view.target, limit: 250)
        )
    }
}
