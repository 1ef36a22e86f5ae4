import Operations
import ServiceKit
import WireFormats

/// A life as text and as JSON. Texts that came from the cluster are shown as one safe line.
enum LifeText {
    /// The longest text of a name or a code.
    private static let limit = 200

    /// Returns the lines of a life, without line ends.
    ///
    /// - Parameter now: milliseconds since 1970.
    static func lines(_ life: RecordLife, now: Int64) -> [String] {
        let key = life.keyMark.map { ", key \($0)" } ?? ""
        let width = life.events.map { self.safe($0.place.description).count }.max() ?? 0
        return ["\(self.safe(life.id.description))\(key)"]
            + life.events.map { event in
                let place = self.safe(event.place.description)
                let padding = String(repeating: " ", count: width - place.count)
                return "  \(self.time(event.at))  \(place)\(padding)  \(self.words(event))"
            } + [self.ending(life.state, now: now)]
    }

    private static func time(_ milliseconds: Int64?) -> String {
        milliseconds.map { Timestamp(millisecondsSince1970: $0).description }
            ?? "(no time)               "
    }

    private static func words(_ event: LifeEvent) -> String {
        switch event.kind {
        case .published:
            let origin = event.origin.map { ", made of \(self.safe($0.description))" } ?? ""
            return "published\(origin)"
        case .replayed(let letter): return "published again, a replay of \(self.safe(letter))"
        case .ordered(let user):
            let name = event.letter.map { " of \(self.safe($0))" } ?? ""
            return "replay\(name) by \(self.safe(user))"
        case .passedOn: return "passed on by the intake"
        case .retried(let reason, let attempts, let due):
            return
                "waits for a retry after \(self.calls(attempts)) (\(self.safe(reason))), due \(self.time(due))"
        case .parked(let room): return "parked, \(self.room(room))"
        case .unparked: return "parking ticket taken back"
        case .letter(let kind, let reason, let replayable):
            let name = event.letter.map { " \(self.safe($0))" } ?? ""
            let hint = replayable.map { ", replayable: \(self.safe($0))" } ?? ""
            return "dead letter\(name): \(self.safe(kind)), \(self.safe(reason))\(hint)"
        case .discarded(let user): return "dead letter discarded by \(self.safe(user))"
        case .outcome(let fate, let reason, let attempts):
            let cause = reason.map { " (\(self.safe($0)))" } ?? ""
            return "outcome: \(self.safe(fate))\(cause) after \(self.calls(attempts))"
        }
    }

    /// Returns the sentence that says how a record ended, or where it is.
    static func ending(_ state: RecordLife.State, now: Int64) -> String {
        switch state {
        case .ended(let fate, let reason):
            let cause = reason.map { ", because of \(self.safe($0))" } ?? ""
            return "It ended: \(self.safe(fate))\(cause)."
        case .deadLettered(let letter, let reason):
            let cause = reason.map { " because of \(self.safe($0))" } ?? ""
            guard let letter else { return "It ended as a dead letter\(cause)." }
            return "It ended as a dead letter\(cause): 'dead-letters show \(self.safe(letter))' explains it."
        case .discarded(let letter, let user):
            return "It ended as the dead letter \(self.safe(letter)), which \(self.safe(user)) has discarded."
        case .parked(let room): return "It is parked and \(self.room(room))."
        case .retrying(let reason, let due):
            let when =
                due > now
                ? "the next call is due \(self.time(due))"
                : "the next call was due \(self.time(due)), so see with 'fleet status' what holds the worker up"
            return "It waits in a retry topic after \(self.safe(reason)); \(when)."
        case .beingDeadLettered(let letter):
            let name = letter.map { " \(self.safe($0))" } ?? ""
            return "Its dead letter\(name) is written, and its outcome is not: a worker will write it."
        case .open: return "It has no outcome yet: a worker has it in hand, or has not read it."
        }
    }

    private static func room(_ room: String) -> String {
        room.isEmpty ? "waits for its turn" : "waits for \(self.safe(room))"
    }

    private static func calls(_ count: Int) -> String { count == 1 ? "1 call" : "\(count) calls" }

    private static func safe(_ text: String) -> String { SafeText.line(text, limit: self.limit) }

    // MARK: - JSON

    /// Returns a life as one line of JSON, without a line end.
    static func json(_ life: RecordLife, now: Int64) -> String {
        var line = JSONLine()
        line.add("id", life.id.description)
        line.add("key_mark", life.keyMark)
        line.addRaw("events", "[\(life.events.map(self.json).joined(separator: ","))]")
        line.add("state", self.name(of: life.state))
        line.add("ending", self.ending(life.state, now: now))
        return line.text
    }

    private static func name(of state: RecordLife.State) -> String {
        switch state {
        case .ended(let fate, _): fate
        case .deadLettered: "dead_lettered"
        case .discarded: "discarded"
        case .parked: "parked"
        case .retrying: "retrying"
        case .beingDeadLettered: "dead_letter_without_outcome"
        case .open: "open"
        }
    }

    private static func json(_ event: LifeEvent) -> String {
        var line = JSONLine()
        line.add("at", event.at.map { Timestamp(millisecondsSince1970: $0).description })
        line.add("place", event.place.description)
        line.add("record", event.subject?.description)
        line.add("what", self.name(of: event.kind))
        if let letter = event.letter { line.add("dead_letter_id", letter) }
        if let origin = event.origin { line.add("origin", origin.description) }
        self.add(event.kind, to: &line)
        return line.text
    }

    private static func add(_ kind: LifeEvent.Kind, to line: inout JSONLine) {
        switch kind {
        case .published, .passedOn, .unparked: break
        case .replayed(let letter): line.add("replay_of", letter)
        case .retried(let reason, let attempts, let due):
            line.add("reason", reason)
            line.add("attempts", Int64(attempts))
            line.add("due", Timestamp(millisecondsSince1970: due).description)
        case .parked(let room): line.add("waits_for", room.isEmpty ? nil : room)
        case .letter(let kind, let reason, let replayable):
            line.add("class", kind)
            line.add("reason", reason)
            line.add("replayable", replayable)
        case .ordered(let user), .discarded(let user): line.add("by", user)
        case .outcome(let fate, let reason, let attempts):
            line.add("fate", fate)
            line.add("reason", reason)
            line.add("attempts", Int64(attempts))
        }
    }

    private static func name(of kind: LifeEvent.Kind) -> String {
        switch kind {
        case .published: "published"
        case .replayed: "replayed"
        case .ordered: "replay_ordered"
        case .passedOn: "passed_on"
        case .retried: "retry"
        case .parked: "parked"
        case .unparked: "unparked"
        case .letter: "dead_letter"
        case .discarded: "discarded"
        case .outcome: "outcome"
        }
    }
}
