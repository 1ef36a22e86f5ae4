import DeadLetters
import WebPages
import WireFormats

extension Pages {
    /// Shows a page of the audit trail.
    func audit(_ visit: Visit) throws -> PageAnswer {
        let page = Pager.page(visit.request.query)
        let texts = try self.index.audit(limit: Pager.size + 1, offset: page * Pager.size)
        let model = AuditModel(
            frame: self.frame(
                "Audit trail",
                visit,
                at: "/audit",
                command: TerminalCommand.text(["audit"])
            ),
            entries: texts.prefix(Pager.size).compactMap { AuditModel.Line($0) },
            pages: Pager(page, hasMore: texts.count > Pager.size, at: "/audit", FormFields())
        )
        return .page(try self.templates.render(model, with: .audit))
    }

    /// Shows how long the broker keeps the open letters of each topic, by the last refresh.
    func retention(_ visit: Visit) throws -> PageAnswer {
        let topics = self.watch.now.retention
        let soon = topics.reduce(0) { $0 + $1.goingSoon }
        let period = Shown.span(topics.first?.within ?? 0)
        let model = RetentionModel(
            frame: self.frame(
                "Retention",
                visit,
                at: "/retention",
                command: TerminalCommand.text(["retention"])
            ),
            summary: soon == 0
                ? "No open letter is about to be deleted, as far as the cluster tells."
                : "\(Shown.count(soon, "open letter")) will be gone within \(period). Replay or save them before that.",
            period: topics.isEmpty ? "" : " within \(period)",
            topics: topics.map { RetentionModel.Line($0, now: visit.now) }
        )
        return .page(try self.templates.render(model, with: .retention))
    }
}

/// The values of the template `audit`.
struct AuditModel: Sendable {
    /// One entry of the audit trail.
    struct Line: Sendable {
        var time: String
        var machine: String
        var by: String
        var action: String
        /// The batch id, if it can stand in a link; nil otherwise.
        var batchOf: String?
        var because: String
        var selection: String
        var counts: String

        /// Reads an entry; nil if the text is none. Anybody with access to the topic may have written it, so
        /// every text is made safe.
        init?(_ text: String) {
            guard let entry = AuditEntry(json: Array(text.utf8)) else { return nil }
            self.time = Shown.time(entry.at)
            self.machine = Shown.machineTime(entry.at)
            self.by = SafeText.line(entry.by, limit: 128)
            self.action = entry.action.rawValue
            let batch = SafeText.line(entry.batch, limit: 40)
            let isAddress = batch.utf8.allSatisfy { 0x30...0x39 ~= $0 || 0x61...0x7A ~= $0 || $0 == 0x2D }
            self.batchOf = batch.isEmpty || !isAddress ? nil : batch
            self.because = SafeText.line(entry.because, limit: 500)
            self.selection = SafeText.line(entry.selection, limit: 300)
            self.counts = entry.counts.sorted { $0.key < $1.key }
                .map { "\(SafeText.line($0.key, limit: 40)) \(Shown.number($0.value))" }.joined(
                    separator: ", "
                )
        }
    }

    var frame: Frame
    var entries: [Line]
    var pages: Pager?
}

/// The values of the template `retention`.
struct RetentionModel: Sendable {
    /// The figures of one topic.
    struct Line: Sendable {
        var topic: String
        var keeps: String
        var open: String
        var soon: String
        var goes: String
        var isUrgent: Bool

        init(_ view: RetentionView, now: Int64) {
            self.topic = SafeText.line(view.topic, limit: 250)
            self.keeps = Self.keeps(view)
            self.open = Shown.number(view.open)
            self.soon = view.keeps == nil ? "" : Shown.number(view.goingSoon)
            self.goes = view.firstGoes.map { $0 < now ? "any moment" : Shown.ago($0, now: now) } ?? ""
            self.isUrgent = view.goingSoon > 0
        }

        private static func keeps(_ view: RetentionView) -> String {
            if view.isUnknown { return "the cluster does not tell" }
            let time = view.keeps.map { Shown.span($0) } ?? "for ever"
            return view.bytes.map { "\(time), and \(Shown.bytes(Int(clamping: $0))) a partition" } ?? time
        }
    }

    var frame: Frame
    var summary: String
    /// The end of the heading of the column with the letters that go soon: the period.
    var period: String
    var topics: [Line]
}
