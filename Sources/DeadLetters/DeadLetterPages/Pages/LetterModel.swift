import DeadLetters
import Records
import WebPages
import WireFormats

/// The values of the template `letter`: one letter with everything that is known about it.
struct LetterModel: Sendable {
    /// A line of the list of facts.
    struct Fact: Sendable {
        var fact: String
        var value: String
    }

    /// A header of the record.
    struct Line: Sendable {
        var name: String
        var content: String
    }

    /// The lines of the hexadecimal dump.
    struct Bytes: Sendable {
        var hexLines: [String]
    }

    var frame: Frame
    var id: String
    var headline: String
    var subline: String
    var group: String
    var state: String
    var stateClass: String
    var isDiscarded: Bool
    /// Whether a text field can hold the payload.
    var isEditable: Bool
    /// Whether a replay may help, be it after something was mended.
    var canReplay: Bool
    var meaning: String
    var can: String
    var canClass: String
    var canWhy: String
    var advice: String
    var standing: String?
    var form: String
    var fault: String?
    var maskNote: String
    var lines: [String]
    var cut: String?
    /// The bytes of the value; nil while the letter is masked, and for a tombstone.
    var hex: Bytes?
    var revealForm: Bool
    var facts: [Fact]
    var events: [LetterEvent]
    var headerCount: String
    var headers: [Line]

    /// The number of payload lines that the page shows.
    private static let linesLimit = 400
    /// The number of characters of one text at most.
    private static let textLimit = 2_000
    /// The number of headers that the page shows.
    private static let headersLimit = 200

    init(_ letter: MaskedLetter, frame: Frame, now: Int64) {
        let detail = letter.detail
        let (view, facts) = (detail.view, detail.facts)
        let guide = ReasonGuide(facts)
        let can = Replayability(facts.replayable?.rawValue ?? view.replayable, guide)
        self.frame = frame
        self.canReplay = can.word != DeadLetter.Replayable.no.rawValue
        self.frame.command = TerminalCommand.text([self.canReplay ? "show" : "edit", "\(view.id)"])
        self.id = "\(view.id)"
        self.headline = SafeText.line(
            [facts.reason, facts.field].compactMap { $0 }.joined(separator: " "),
            limit: 120
        )
        self.subline = SafeText.line(
            [view.group.kind, view.group.worker, view.group.topic, "written \(Shown.ago(view.at, now: now))"]
                .filter { !$0.isEmpty }.joined(separator: " · "),
            limit: 400
        )
        self.group = view.mark
        self.state = StateWords.phrase(view.state)
        self.stateClass = view.state.word
        self.isDiscarded = view.state == .discarded
        self.isEditable = EditModel.text(of: detail.payload) != nil
        self.meaning = guide.meaning
        self.can = can.sentence
        self.canClass = can.word
        self.canWhy = can.why
        self.advice = guide.advice
        self.standing = detail.standing.map { Self.sentence($0, now: now) }
        let payload = letter.payload
        let all = payload.lines(longestText: Self.textLimit)
        self.form =
            detail.payload.schema.map { "\(payload.form.rawValue), \($0.rawValue)" } ?? payload.form.rawValue
        self.fault = payload.fault.map { SafeText.line($0.code, limit: 120) }
        self.maskNote =
            letter.isRevealed
            ? "Unmasked. That you looked, and why, is in the audit trail."
            : "Masked: what is personal, secret or unknown is shown as a mark that is equal for equal values."
        self.lines = Array(all.prefix(Self.linesLimit))
        self.cut =
            all.count > Self.linesLimit
            ? "\(Shown.count(all.count - Self.linesLimit, "more line")) that are not shown here; 'dead-letters show' does."
            : nil
        self.hex = letter.dump.map { Bytes(hexLines: Self.lines($0)) }
        self.revealForm = !letter.isRevealed
        self.facts = Self.facts(letter, now: now)
        self.events = LetterEvent.all(of: detail)
        self.headerCount = Shown.number(detail.record.headers.count)
        self.headers = letter.headers(atMost: Self.headersLimit, limit: Self.textLimit).map { header in
            Line(name: header.name, content: header.value ?? "(no value)")
        }
    }

    /// Says who replayed or discarded the letter, when, and why.
    private static func sentence(_ standing: LedgerStanding, now: Int64) -> String {
        let verb = standing.state == .discarded ? "Discarded" : "Replayed"
        let why = standing.because.isEmpty ? "" : ": " + SafeText.line(standing.because, limit: 500)
        return
            "\(verb) by \(SafeText.line(standing.by, limit: 128)) \(Shown.ago(standing.at, now: now))\(why)"
    }

    /// Returns the lines of a dump, with a last one for the bytes that it leaves out.
    static func lines(_ dump: HexDump) -> [String] {
        dump.left > 0 ? dump.lines + ["… \(Shown.count(dump.left, "more byte"))"] : dump.lines
    }
}

extension LetterModel {
    /// Returns the facts that the page lists. Every value is safe on one line.
    private static func facts(_ letter: MaskedLetter, now: Int64) -> [Fact] {
        let detail = letter.detail
        let (view, facts) = (detail.view, detail.facts)
        var list: [Fact] = []
        func addSafe(_ name: String, _ value: String?) {
            if let value, !value.isEmpty { list.append(Fact(fact: name, value: value)) }
        }
        func add(_ name: String, _ value: String?) {
            addSafe(name, value.map { SafeText.line($0, limit: 1_024) })
        }
        add("Letter", "\(view.id)")
        add("Lies at", "\(view.position)")
        add("Came from", view.source.map { "\($0)" })
        add("Group of its worker", facts.sourceGroup)
        addSafe("Key", letter.key(limit: 500) ?? "none")
        addSafe("Message", letter.message)
        add("Tries", facts.attempts.map { Shown.number($0) })
        add("First failed", facts.firstFailedAt.map { "\(Shown.time($0)), \(Shown.ago($0, now: now))" })
        add("Gave up", facts.failedAt.map { "\(Shown.time($0)), \(Shown.ago($0, now: now))" })
        add("Record's own time", facts.originalTimestamp.map { Shown.time($0) })
        add("Upstream", facts.upstream)
        add("It answered", facts.upstreamStatus.map { "HTTP \($0)" })
        add("Its request id", facts.upstreamRequestID)
        add(
            "Worker",
            facts.worker.map { [$0, facts.workerVersion].compactMap { $0 }.joined(separator: " ") }
        )
        add("Written as", facts.dialect.rawValue)
        add("Size", detail.record.value.map { Shown.bytes($0.count) } ?? "a tombstone")
        if facts.omission?.valueOmitted == true {
            add(
                "Left out",
                "its value (\(facts.omission?.valueBytes.map { Shown.bytes($0) } ?? "size unknown"))"
            )
        }
        let replays = detail.view.allReplays
        add("Replays so far", replays > 0 ? Shown.number(replays) : nil)
        return list
    }
}

/// One event in the history of a letter.
struct LetterEvent: Sendable {
    struct Link: Sendable {
        var linkAddress: String
        var linkLabel: String
    }

    /// The time of the event, in milliseconds since 1970.
    var at: Int64
    var event: String
    var link: Link?
    var time: String
    var machine: String

    init(_ at: Int64, _ event: String, link: Link? = nil) {
        self.at = at
        self.event = event
        self.link = link
        self.time = Shown.time(at)
        self.machine = Shown.machineTime(at)
    }

    /// Returns the events of a letter, the oldest first.
    static func all(of detail: LetterDetail) -> [LetterEvent] {
        let facts = detail.facts
        var events: [LetterEvent] = []
        if let at = facts.firstFailedAt { events.append(LetterEvent(at, "failed for the first time")) }
        let tries = facts.attempts.map { " after \(Shown.count($0, "try", plural: "tries"))" } ?? ""
        events.append(
            LetterEvent(
                detail.view.at,
                "written as a dead letter\(tries)" + (detail.predecessor == nil ? "" : ", of a replay of"),
                link: detail.predecessor.map { Self.link(to: $0) }
            )
        )
        for replay in detail.replays {
            let by = SafeText.line(replay.by, limit: 128)
            let edited = replay.edited == nil ? "" : ", edited,"
            let target = SafeText.line(replay.target, limit: 120)
            let link = Link(
                linkAddress: "/replays/" + FormFields.encode(replay.batch),
                linkLabel: SafeText.line(replay.batch, limit: 40)
            )
            events.append(LetterEvent(replay.at, "replayed\(edited) to \(target) by \(by)", link: link))
            if let settled = replay.settled, replay.state != .replayed {
                let why = replay.reason.map { ": " + SafeText.line($0, limit: 120) } ?? ""
                events.append(LetterEvent(settled, StateWords.phrase(replay.state) + why))
            }
        }
        for successor in detail.successors {
            events.append(LetterEvent(successor.at, "died again, as", link: Self.link(to: successor.id)))
        }
        if let standing = detail.standing, standing.state == .discarded {
            events.append(LetterEvent(standing.at, "discarded by \(SafeText.line(standing.by, limit: 128))"))
        }
        return events.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(
            \.element
        )
    }

    private static func link(to id: LetterID) -> Link {
        Link(linkAddress: "/letters/\(id)", linkLabel: LetterLine.short(id))
    }
}
