import DeadLetters
import Records
import WireFormats

/// One letter, with everything that is known of it.
struct LetterModel: Sendable {
    struct Fact: Sendable {
        var fact: String
        var value: String
    }

    struct Line: Sendable {
        var name: String
        var content: String
    }

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
    /// Nil while masked.
    var hex: Bytes?
    var revealForm: Bool
    var facts: [Fact]
    var events: [LetterEvent]
    var headerCount: String
    var headers: [Line]

    private static let linesLimit = 400
    private static let textLimit = 2_000
    private static let hexBytesLimit = 4_096
    private static let headersLimit = 200

    /// - Parameter mark: what stands for everything personal or secret; nil for somebody who may see it.
    init(_ detail: LetterDetail, frame: Frame, mark: KeyedMark?, now: Int64) {
        let (view, facts) = (detail.view, detail.facts)
        let guide = ReasonGuide(facts)
        let can = Replayability(facts.replayable?.rawValue ?? view.replayable, guide)
        self.frame = frame
        self.id = "\(view.id)"
        self.headline = SafeText.line(facts.reason, limit: 120)
        self.subline = SafeText.line(
            [view.group.kind, view.group.worker, view.group.topic, "written \(Shown.ago(view.at, now: now))"]
                .filter { !$0.isEmpty }.joined(separator: " · "),
            limit: 400
        )
        self.group = view.mark
        self.state = StateWords.phrase(view.state)
        self.stateClass = view.state.word
        self.meaning = guide.meaning
        self.can = can.sentence
        self.canClass = can.word
        self.canWhy = can.why
        self.advice = guide.advice
        self.standing = detail.standing.map { Self.sentence($0, now: now) }
        let payload = mark.map { mark in detail.payload.masked(by: mark.text) } ?? detail.payload
        let all = payload.lines(longestText: Self.textLimit)
        self.form =
            detail.payload.schema.map { "\(payload.form.rawValue), \($0.rawValue)" } ?? payload.form.rawValue
        self.fault = payload.fault.map { SafeText.line($0.code, limit: 120) }
        self.maskNote =
            mark == nil
            ? "Unmasked. That you looked, and why, is in the audit trail."
            : "Masked: what is personal, secret or unknown is shown as a mark that is equal for equal values."
        self.lines = Array(all.prefix(Self.linesLimit))
        self.cut =
            all.count > Self.linesLimit
            ? "\(Shown.count(all.count - Self.linesLimit, "more line")) that are not shown here; 'dead-letters show' does."
            : nil
        self.hex = mark == nil ? detail.record.value.map { Bytes(hexLines: Self.hexLines($0)) } : nil
        self.revealForm = mark != nil
        self.facts = Self.facts(detail, mark, now: now)
        self.events = LetterEvent.all(of: detail)
        self.headerCount = Shown.number(detail.record.headers.count)
        self.headers = detail.record.headers.prefix(Self.headersLimit).map {
            Self.line($0, of: facts.dialect, mark)
        }
    }

    private static func sentence(_ standing: LedgerStanding, now: Int64) -> String {
        let verb = standing.state == .discarded ? "Discarded" : "Replayed"
        let why = standing.because.isEmpty ? "" : ": " + SafeText.line(standing.because, limit: 500)
        return
            "\(verb) by \(SafeText.line(standing.by, limit: 128)) \(Shown.ago(standing.at, now: now))\(why)"
    }

    private static func line(_ header: RecordHeader, of dialect: DeadLetterDialect, _ mark: KeyedMark?)
        -> Line
    {
        let name = SafeText.line(header.name, limit: 200)
        guard let value = header.value else { return Line(name: name, content: "(no value)") }
        if let mark, !value.isEmpty, !DeadLetterPayload.isPublicHeader(header.name, of: dialect) {
            return Line(name: name, content: mark.text(value))
        }
        return Line(name: name, content: SafeText.line(of: value, limit: Self.textLimit))
    }

    /// As `hexdump -C` writes it.
    static func hexLines(_ bytes: [UInt8]) -> [String] {
        let shown = bytes.prefix(Self.hexBytesLimit)
        var lines = stride(from: 0, to: shown.count, by: 16).map { start in
            let row = shown[start..<min(start + 16, shown.count)]
            let digits = row.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " ")
            let text = row.map { 0x20...0x7E ~= $0 ? String(UnicodeScalar($0)) : "." }.joined()
            let place = String(start, radix: 16)
            return String(repeating: "0", count: max(0, 6 - place.count)) + place + "  "
                + digits.padded(to: 47) + "  " + text
        }
        if bytes.count > shown.count {
            lines.append("… \(Shown.count(bytes.count - shown.count, "more byte"))")
        }
        return lines
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - self.count))
    }
}

extension LetterModel {
    private static func facts(_ detail: LetterDetail, _ mark: KeyedMark?, now: Int64) -> [Fact] {
        let (view, facts) = (detail.view, detail.facts)
        var list: [Fact] = []
        func add(_ name: String, _ value: String?) {
            if let value, !value.isEmpty {
                list.append(Fact(fact: name, value: SafeText.line(value, limit: 1_024)))
            }
        }
        add("Letter", "\(view.id)")
        add("Lies at", "\(view.position)")
        add("Came from", view.source.map { "\($0)" })
        add("Group of its worker", facts.sourceGroup)
        add("Key", Self.key(detail, mark))
        add("Message", Self.message(facts, mark))
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
        add("Replays so far", facts.replayCount > 0 ? Shown.number(facts.replayCount) : nil)
        return list
    }

    private static func key(_ detail: LetterDetail, _ mark: KeyedMark?) -> String {
        guard let key = detail.record.key else { return "none" }
        return mark?.text(key) ?? SafeText.line(of: key, limit: 500)
    }

    private static func message(_ facts: DeadLetterFacts, _ mark: KeyedMark?) -> String? {
        guard !facts.message.isEmpty else { return nil }
        guard let mark, !facts.dialect.hasPublicMessages else { return facts.message }
        return mark.text(Array(facts.message.utf8))
    }
}

/// Something that has happened to a letter.
struct LetterEvent: Sendable {
    struct Link: Sendable {
        var linkAddress: String
        var linkLabel: String
    }

    var at: Int64
    var event: String
    var link: Link?
    var time: String
    var machine: String

    init(_ at: Int64, _ event: String, _ link: Link? = nil) {
        self.at = at
        self.event = event
        self.link = link
        self.time = Shown.time(at)
        self.machine = Shown.machineTime(at)
    }

    /// The oldest first.
    static func all(of detail: LetterDetail) -> [LetterEvent] {
        let facts = detail.facts
        var events: [LetterEvent] = []
        if let at = facts.firstFailedAt { events.append(LetterEvent(at, "failed for the first time")) }
        let tries = facts.attempts.map { " after \(Shown.count($0, "try", "tries"))" } ?? ""
        events.append(
            LetterEvent(
                detail.view.at,
                "written as a dead letter\(tries)" + (detail.predecessor == nil ? "" : ", of a replay of"),
                detail.predecessor.map { Self.link(to: $0) }
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
            events.append(LetterEvent(replay.at, "replayed\(edited) to \(target) by \(by)", link))
            if let settled = replay.settled, replay.state != .replayed {
                let why = replay.reason.map { ": " + SafeText.line($0, limit: 120) } ?? ""
                events.append(LetterEvent(settled, StateWords.phrase(replay.state) + why))
            }
        }
        for successor in detail.successors {
            events.append(LetterEvent(successor.at, "died again, as", Self.link(to: successor.id)))
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
