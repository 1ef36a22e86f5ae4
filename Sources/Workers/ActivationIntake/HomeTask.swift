import Kafka
import Records
import ServiceKit
import StreamKit
import WireFormats

/// The task of a home partition: it recognises events, clicks and conversions of the devices that are at home
/// there, and passes on what is to be published or reported.
final class HomeTask: StreamTask {
    private let partition: Int32
    let writer: IntakeWriter
    let metrics: IntakeMetrics
    let settings: IntakeSettings
    private var tables: [RememberedKind: RecentTable] = [:]
    var waiting = WaitingActivations()

    init(_ partition: Int32, _ writer: IntakeWriter, metrics: IntakeMetrics) {
        self.partition = partition
        self.writer = writer
        self.metrics = metrics
        self.settings = writer.settings
    }

    deinit { self.metrics.forget(self.partition) }

    // MARK: - State

    var memory: StreamMemory {
        .changelog(TopicPartition(topic: self.settings.topics.changelog, partition: self.partition))
    }

    func restore(_ record: InboundRecord, at now: Moment) {
        guard let key = RememberedKey(record.key) else { return }
        if key.kind == .waiting { return self.restore(waiting: key, record) }
        if let entry = RecentTable.Entry(changelog: record.value) {
            self.tables[key.kind, default: RecentTable()].remember(key.key, entry)
        } else {
            self.tables[key.kind]?.forget(key.key)
        }
    }

    func restored(at now: Moment) {
        for kind in RememberedKind.allCases { self.tables[kind]?.tidy() }
        self.tellCounts()
    }

    var byteCount: Int { self.tables.values.reduce(self.waiting.byteCount) { $0 + $1.byteCount } }

    var nextDue: Int64? {
        RememberedKind.allCases.compactMap { kind in
            let oldest = kind == .waiting ? self.waiting.oldest : self.tables[kind]?.oldest
            return oldest.map { $0.addingClamped(self.window(of: kind) + 1) }
        }.min()
    }

    /// The most things of a kind that are forgotten before one transaction ends, because their time is over or there is no
    /// memory for them. After a shorter window was set, all that are older are due at once.
    static var expiriesLimit: Int { 10_000 }

    func collect(at now: Moment, progress: Int64, _ output: StreamOutput) {
        for kind in RememberedKind.allCases {
            let least = now.wall.subtractingClamped(self.window(of: kind))
            for _ in 0..<Self.expiriesLimit {
                guard let key = self.tables[kind]?.forgetOldest(before: least) else { break }
                self.write(RememberedKey(kind, key), nil, to: output)
            }
        }
        self.decideWhatIsLate(at: now, to: output)
        // The states of a worker that has gone, or a smaller limit, can be more than there is room for.
        if output.excess > 0 { self.forgetOldest(bytes: output.excess, at: now, to: output) }
        self.tellCounts()
    }

    private func tellCounts() {
        self.metrics.holds(self.waiting.count, of: .waiting, partition: self.partition)
        for (kind, table) in self.tables {
            self.metrics.holds(table.count, of: kind, partition: self.partition)
        }
    }

    /// How long things of a kind are remembered, in milliseconds.
    func window(of kind: RememberedKind) -> Int64 {
        switch kind {
        case .waiting: self.settings.clickPatience.wholeMilliseconds
        case .event: self.settings.eventWindow.wholeMilliseconds
        case .click: self.settings.clickMemory.wholeMilliseconds
        case .conversion: self.settings.duplicateWindow.wholeMilliseconds
        }
    }

    func entry(of key: RememberedKey, at now: Moment) -> RecentTable.Entry? {
        self.tables[key.kind]?.entry(
            of: key.key,
            since: now.wall.subtractingClamped(self.window(of: key.kind))
        )
    }

    /// Remembers a thing.
    func remember(_ key: RememberedKey, _ text: [UInt8], at now: Moment, to output: StreamOutput) {
        let entry = RecentTable.Entry(seen: now.wall, text: text)
        let before = self.size(of: key.kind).bytes
        self.tables[key.kind, default: RecentTable()].remember(key.key, entry)
        self.write(key, entry.changelog, to: output)
        // A thing that is seen again takes no more room, and makes nobody else's be forgotten.
        let growth = self.size(of: key.kind).bytes - before
        if growth > 0 { self.makeRoom(for: growth, at: now, to: output) }
    }

    /// Forgets twice as much as was added, where memory is short.
    func makeRoom(for bytes: Int, at now: Moment, to output: StreamOutput) {
        guard output.isCrowded else { return }
        self.forgetOldest(bytes: 2 * bytes, at: now, to: output)
    }

    /// Forgets the oldest things of the kinds that take most, until so many bytes are free: whoever invents things of one
    /// kind pushes out none of another. An activation that waits is decided instead of forgotten.
    private func forgetOldest(bytes: Int, at now: Moment, to output: StreamOutput) {
        var freed = 0
        for _ in 0..<Self.expiriesLimit {
            guard freed < bytes, let kind = self.largestKind else { return }
            let before = self.size(of: kind).bytes
            if kind == .waiting {
                self.decideOldest(before: .max, at: now, to: output)
            } else if let oldest = self.tables[kind]?.forgetOldest(before: .max) {
                self.write(RememberedKey(kind, oldest), nil, to: output)
            }
            freed += max(1, before - self.size(of: kind).bytes)
            self.metrics.forgottenEarly()
        }
    }

    /// The kind that takes most memory; nil if there is a single thing of it, which has just come.
    private var largestKind: RememberedKind? {
        let kind = RememberedKind.allCases.max { self.size(of: $0).bytes < self.size(of: $1).bytes }
        return kind.flatMap { self.size(of: $0).count > 1 ? $0 : nil }
    }

    private func size(of kind: RememberedKind) -> (count: Int, bytes: Int) {
        if kind == .waiting { return (self.waiting.count, self.waiting.byteCount) }
        return self.tables[kind].map { ($0.count, $0.byteCount) } ?? (0, 0)
    }

    /// Writes a thing into the changelog; nil for one that is forgotten.
    func write(
        _ key: RememberedKey,
        _ value: [UInt8]?,
        headers: [RecordHeader] = [],
        timestamp: Int64? = nil,
        to output: StreamOutput
    ) {
        output.send(
            OutboundRecord(
                topic: self.settings.topics.changelog,
                key: key.bytes,
                value: value,
                headers: headers + [self.writer.spread.recordHeader],
                partition: self.partition,
                timestamp: timestamp
            )
        )
    }

    // MARK: - Records

    func process(_ record: consuming InboundRecord, at now: Moment, _ output: StreamOutput) {
        switch HomeRecord.kind(of: record) {
        case .event: self.publish(record, at: now, to: output)
        case .click: self.noteClick(record, at: now, to: output)
        case .lookup: self.lookUp(record, at: now, to: output)
        case .activation: self.judge(record, at: now, to: output)
        case nil: self.metrics.unreadableRecord()
        }
    }

    func bury(_ record: consuming InboundRecord, at now: Moment, _ output: StreamOutput) {
        self.metrics.counted("activation", "dead_lettered")
        self.writer.bury(
            record,
            as: .rejected,
            because: .crashLoop,
            resultTopic: self.settings.topics.result,
            at: now,
            to: output
        )
    }

    /// Publishes an event, unless it was published before.
    private func publish(_ record: borrowing InboundRecord, at now: Moment, to output: StreamOutput) {
        guard let topic = self.settings.topics.events, let id = record.header(RecordOrigin.eventHeader) else {
            return self.metrics.unreadableRecord()
        }
        let key = RememberedKey(.event, named: String(decoding: id, as: UTF8.self))
        guard self.entry(of: key, at: now) == nil else { return self.metrics.counted("event", "repeated") }
        self.remember(key, [], at: now, to: output)
        self.metrics.counted("event", "published")
        output.send(
            OutboundRecord(
                topic: topic,
                key: id,
                value: record.value,
                headers: [RecordHeader("content-type", ValueFormat.json.contentType)],
                timestamp: record.timestamp
            )
        )
    }

    /// Decides whether an activation is reported: it matches a click if it has to, and is no duplicate.
    ///
    /// - Parameter mayWait: Whether it may wait for a click that was not read yet.
    func judge(
        _ record: borrowing InboundRecord,
        mayWait: Bool = true,
        at now: Moment,
        to output: StreamOutput
    ) {
        guard let activation = try? Activation(decoding: record) else {
            return self.metrics.unreadableRecord()
        }
        var click: ClickTrail.Click?
        if self.settings.matchesClicks {
            click = self.click(of: activation, record, at: now)
            let isDecided = click != nil && !self.isOfABacklog(record, at: now)
            if !isDecided, mayWait, self.letWait(record, activation, at: now, to: output) { return }
            guard click != nil else {
                self.metrics.counted("activation", "no_click")
                return self.reject(record, because: .noClick, activation, at: now, to: output)
            }
        }
        let keys = self.keys(of: activation, record)
        if let first = keys.lazy.compactMap({ self.entry(of: $0, at: now) }).first {
            self.metrics.counted("activation", "duplicate")
            let reason = Reason.duplicate(of: String(decoding: first.text, as: UTF8.self))
            return self.reject(record, because: reason, activation, at: now, to: output)
        }
        guard self.writer.sendDue(self.due(activation, click, of: record), to: output) else {
            self.metrics.counted("activation", "dead_lettered")
            return self.writer.buryTooLarge(record, at: now, to: output)
        }
        self.metrics.counted("activation", "due")
        let origin = record.originHeaders.first { $0.name == RecordOrigin.header }?.value
        for key in keys { self.remember(key, origin ?? Array(record.place.utf8), at: now, to: output) }
    }

    private func reject(
        _ record: borrowing InboundRecord,
        because reason: Reason,
        _ activation: Activation,
        at now: Moment,
        to output: StreamOutput
    ) {
        let unknown = UnknownFields(of: record, in: .activation)
        if unknown != nil { self.metrics.unknownFieldsFound() }
        self.writer.reject(record, because: reason, activation, unknown: unknown, at: now, to: output)
    }

    /// The keys under which an activation that is passed on is remembered. A conversion that is remembered for as long as
    /// events are needs no other.
    private func keys(of activation: Activation, _ record: borrowing InboundRecord) -> [RememberedKey] {
        let conversion = self.conversionKey(of: activation)
        let isEnough = conversion != nil && self.settings.duplicateWindow >= self.settings.eventWindow
        return [conversion, isEnough ? nil : self.reportKey(of: record)].compactMap(\.self)
    }

    /// The key under which the conversion is remembered; nil if its type may come more than once.
    private func conversionKey(of activation: Activation) -> RememberedKey? {
        guard self.settings.duplicateWindow > .zero,
            self.settings.singleTypes.contains(activation.conversionType)
        else { return nil }
        let name = "\(activation.account)/\(activation.muidText)/\(activation.conversionType.rawValue)"
        return RememberedKey(.conversion, named: name)
    }

    /// The key under which the report of a phone's event is remembered: a phone uploads an event again whose answer was
    /// lost, also of a type that may come more than once. Nil for a publisher's record.
    private func reportKey(of record: borrowing InboundRecord) -> RememberedKey? {
        record.originHeaders.first { $0.name == RecordOrigin.eventHeader }?.value.map {
            RememberedKey(.event, named: "report \(String(decoding: $0, as: UTF8.self))")
        }
    }

    /// Returns the record for the worker that reports activations. It has the id and the callback of the click as far
    /// as a record has room for them: a feed's callback can have 4 KiB. An activation that names this click, or none, keeps
    /// a callback of its own.
    private func due(
        _ activation: Activation,
        _ click: ClickTrail.Click?,
        of record: borrowing InboundRecord
    ) -> OutboundRecord {
        if let click {
            var clicked = activation
            let isOfThisClick = activation.clickID == nil || activation.clickID == click.clickID
            let own = isOfThisClick ? activation.callback : nil
            clicked.clickID = click.clickID
            for callback in [own ?? click.callback, own] {
                clicked.callback = callback
                guard clicked != activation else { continue }
                let due = self.due(clicked, clicked.json, of: record)
                if self.writer.hasRoom(for: due) { return due }
            }
        }
        return self.due(activation, record.value, of: record)
    }

    private func due(
        _ activation: Activation,
        _ value: [UInt8]?,
        of record: borrowing InboundRecord
    ) -> OutboundRecord {
        var headers = HomeRecord.foreignHeaders(of: record)
        if value != record.value {
            headers.removeAll { $0.name.lowercased().isExactly("content-type") }
            headers.append(RecordHeader("content-type", ValueFormat.json.contentType))
            // The members that no schema has are not in the new value, and the outcome is to tell them.
            headers.removeAll { $0.isNamed(UnknownFields.header) }
            if let unknown = UnknownFields(of: record, in: .activation) {
                headers.append(unknown.recordHeader)
            }
        }
        return OutboundRecord(
            topic: self.settings.topics.due,
            key: activation.muid.text,
            value: value,
            headers: headers + record.originHeaders,
            timestamp: record.timestamp
        )
    }
}

extension Reason {
    fileprivate static let noClick = Reason(
        "attribution.no_click",
        "No click of the device or with the activation's click id lies in the window before it."
    )

    fileprivate static func duplicate(of first: String) -> Reason {
        Reason("activation.duplicate", "This conversion of the device was passed on before: \(first).")
    }
}
