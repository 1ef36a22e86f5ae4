import DeadLetters
import Records
import WireFormats

/// One letter on a terminal: first what an engineer needs to decide, then the details of the record.
struct LetterPage {
    let lines: [String]

    init(_ letter: MaskedLetter, now: Int64) {
        let (view, facts) = (letter.detail.view, letter.detail.facts)
        let guide = ReasonGuide(facts)
        var lines = ["\(view.id)  \(view.state.word)", ""]
        lines += Self.columns([
            ("what", "\(facts.kind) \(SafeText.line(facts.reason))"),
            ("said", letter.message),
            ("meaning", guide.meaning),
            ("replay", guide.replayAdvice),
            ("to do", guide.advice),
        ])
        lines.append("")
        lines += Self.columns([
            (
                "worker",
                facts.worker.map { "\(SafeText.line($0)) \(SafeText.line(facts.workerVersion ?? ""))" } ?? ""
            ),
            ("record", view.source?.description ?? ""),
            ("letter", "\(view.position), written as \(facts.dialect.rawValue)"),
            ("group", view.mark),
            ("key", letter.key() ?? "(none)"),
            ("upstream", Self.upstream(facts)),
        ])
        lines += Self.history(letter, now)
        lines += ["", "headers"]
        lines += letter.headers().map { "  \($0.name): \($0.value ?? "(null)")" }
        let payload = letter.payload
        lines += ["", "payload, \(payload.form.rawValue)\(payload.schema.map { ", \($0.rawValue)" } ?? "")"]
        if let fault = payload.fault {
            lines.append("  not as its worker needs it: \(fault.code): \(SafeText.line(fault.message))")
        }
        lines += payload.lines().prefix(400).map { "  \($0)" }
        lines += Self.bytes(letter)
        self.lines = lines
    }

    /// Aligns names and texts; pairs with an empty text are left out.
    private static func columns(_ pairs: [(String, String)]) -> [String] {
        pairs.filter { !$0.1.isEmpty }.map { name, text in
            name + String(repeating: " ", count: max(1, 10 - name.count)) + text
        }
    }

    private static func upstream(_ facts: DeadLetterFacts) -> String {
        [
            facts.upstream.map { SafeText.line($0) }, facts.upstreamStatus.map { "HTTP \($0)" },
            facts.upstreamRequestID.map { "request \(SafeText.line($0))" },
        ].compactMap(\.self).joined(separator: ", ")
    }

    /// Returns the events of the letter, the oldest first.
    private static func history(_ letter: MaskedLetter, _ now: Int64) -> [String] {
        let (view, facts) = (letter.detail.view, letter.detail.facts)
        var events: [(Int64, String)] = []
        if let time = facts.originalTimestamp { events.append((time, "the record was published")) }
        if let time = facts.firstFailedAt { events.append((time, "it failed for the first time")) }
        let attempts = facts.attempts.map { " after \(Words.count($0, "attempt"))" } ?? ""
        events.append((facts.failedAt ?? view.at, "it was dead-lettered\(attempts)"))
        for replay in letter.detail.replays {
            let edited = replay.edited == nil ? "" : ", edited"
            events.append(
                (
                    replay.at,
                    "\(replay.id): replayed to \(replay.target) by \(SafeText.line(replay.by))\(edited)"
                )
            )
            if let settled = replay.settled {
                let reason = replay.reason.map { " (\(SafeText.line($0)))" } ?? ""
                events.append((settled, "\(replay.id): \(replay.state.word)\(reason)"))
            }
        }
        if let standing = letter.detail.standing, standing.state == .discarded {
            events.append(
                (
                    standing.at,
                    "discarded by \(SafeText.line(standing.by)): \(SafeText.line(standing.because))"
                )
            )
        }
        var lines = ["", "history"]
        lines += events.sorted { $0.0 < $1.0 }.map { time, text in "  \(Words.time(time))  \(text)" }
        if facts.replayCount > 0 {
            let before = letter.detail.predecessor.map { ", of \($0)" } ?? ""
            lines.append(
                "  It had been replayed \(Words.count(facts.replayCount, "time")) before it died\(before)."
            )
        }
        lines += letter.detail.successors.map { "  It died again: \($0.id)" }
        return lines
    }

    /// Returns the dump of the value, or how to see it.
    private static func bytes(_ letter: MaskedLetter) -> [String] {
        guard let value = letter.detail.record.value else { return [] }
        guard let dump = letter.dump else {
            return [
                "",
                "raw bytes: \(value.count), masked \(letter.mask.mark.text(value)); --reveal --because \"…\" shows them",
            ]
        }
        let lines = ["", "raw bytes: \(value.count)"] + dump.lines.map { "  \($0)" }
        return dump.left > 0 ? lines + ["  … \(dump.left) more"] : lines
    }
}
