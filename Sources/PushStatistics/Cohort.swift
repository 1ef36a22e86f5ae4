package import WireFormats
import WorkerKit

/// What one input partition knows of one message: its tally, and the devices it has counted.
///
/// The tally is a function of the set of events, whatever their order, as far as each arrival's sending is told by the
/// push itself or by a `sent` of its device. Two events of a device and a kind are the exception: the first counts.
package final class Cohort {
    package let key: CohortKey
    package let source: Int32
    /// When this partition began to count the message: milliseconds since 1970.
    package let term: Int64
    package private(set) var campaignID: String
    package private(set) var version: Int64
    package private(set) var tally: Tally
    /// When the first and the last event came, by the server's clock.
    package private(set) var firstSeen: Int64
    package private(set) var lastSeen: Int64
    /// Whether something is new since it was last written, and when its part is to be told: kept by its ledger.
    var isChanged = false
    var tellAt: Int64?
    /// When the last event was counted, by this machine's clock.
    private var lastCounted: Int64 = .min
    /// What the times of devices are counted from.
    private let base: Int64
    /// Nil once the cohort is closed.
    private var devices: DeviceTable?
    /// What is new since it was last taken.
    private var changes: [DeviceRecord] = []
    /// Arrivals whose sending nobody has told of.
    private var pendingCount: Int64 = 0

    /// - Parameters:
    ///   - seen: when its first event came, by the server's clock.
    ///   - seed: a number that nobody outside knows.
    package init(_ key: CohortKey, source: Int32, term: Int64, seen: Int64, rules: CohortRules, seed: UInt64)
    {
        self.key = key
        self.source = source
        self.term = term
        self.campaignID = ""
        self.version = 0
        self.tally = Tally(edges: rules.lagEdges)
        self.firstSeen = seen
        self.lastSeen = seen
        // Half of the range before, half of it after.
        self.base = seen - DeviceRecord.timeRange.upperBound / 2
        self.devices = DeviceTable(seed: seed)
    }

    /// As a snapshot says, without its devices.
    package init(_ snapshot: CohortSnapshot, seed: UInt64) {
        self.key = snapshot.key
        self.source = snapshot.source
        self.term = snapshot.term
        self.campaignID = snapshot.campaignID
        self.version = snapshot.version
        self.tally = snapshot.tally
        self.firstSeen = snapshot.firstSeen
        self.lastSeen = snapshot.lastSeen
        self.base = snapshot.base
        self.devices = snapshot.isClosed ? nil : DeviceTable(seed: seed)
        self.pendingCount = snapshot.tally.lagUnknown
    }

    package var isClosed: Bool { self.devices == nil }

    package var deviceCount: Int { self.devices?.count ?? 0 }

    /// What it takes in memory, near enough.
    package var byteCount: Int {
        Self.ownByteCount + (self.devices?.byteCount ?? 0) + self.changes.count * 16
    }

    /// The object, its names, its tally, and its place in a dictionary.
    private static let ownByteCount = 900

    /// Until when the cohort stays open: as long as events can come in time, and as long as they do come, whatever their
    /// times say. Milliseconds since 1970.
    package func end(_ rules: CohortRules) -> Int64 {
        let anchor = max(self.tally.lastSent ?? self.lastSeen, self.firstSeen)
        return max(
            anchor.addingClamped((rules.allowedLateness + rules.grace).wholeMilliseconds),
            self.lastCounted.addingClamped(rules.grace.wholeMilliseconds)
        )
    }

    /// An event of this message has come.
    package func noteCounted(at now: Int64) { self.lastCounted = max(self.lastCounted, now) }

    // MARK: - Events

    /// Counts an event of this message.
    package func count(_ event: PushEvent, of device: Fingerprint, _ rules: CohortRules) -> Judgement {
        self.version += 1
        self.lastSeen = max(self.lastSeen, event.serverMS)
        self.firstSeen = min(self.firstSeen, event.serverMS)
        if self.campaignID.isEmpty { self.campaignID = event.campaignID }
        if event.kind == .arrived, event.isEligible == false {
            self.tally.ineligible += 1
            return Judgement(.ineligible, sent: event.sentMS)
        }
        guard self.devices != nil else {
            self.tally.lateDropped += 1
            return Judgement(.late, sent: event.sentMS)
        }
        var changed: DeviceRecord?
        let judgement = self.devices?.withRecord(of: device) { record in
            let judgement = self.judge(event, &record, rules)
            if judgement.standing == .accepted { changed = record }
            return judgement
        }
        if let changed { self.changes.append(changed) }
        return judgement ?? Judgement(.late)
    }

    /// Counts an event that names no device.
    package func countWithoutDevice(at time: Int64) {
        self.version += 1
        self.lastSeen = max(self.lastSeen, time)
        self.tally.unknownDevice += 1
    }

    private func judge(_ event: PushEvent, _ record: inout DeviceRecord, _ rules: CohortRules) -> Judgement {
        let sent = event.sentMS ?? self.sending(of: record) ?? self.tally.firstSent
        guard !record.has(event.kind) else {
            self.tally.duplicates += 1
            return Judgement(.duplicate, sent: sent)
        }
        if event.kind != .sent, let sent,
            PushTime.isLate(event, sentMS: sent, allowedMS: rules.allowedLateness.wholeMilliseconds)
        {
            self.tally.lateDropped += 1
            return Judgement(.late, sent: sent)
        }
        record.note(event.kind)
        if event.kind != .sent, let sent = event.sentMS { self.tally.noteSending(at: sent) }
        switch event.kind {
        case .sent: return self.send(event, &record)
        case .arrived: return self.arrive(event, &record)
        case .shown: self.tally.shown += 1
        case .opened: self.tally.opened += 1
        case .dismissed: self.tally.dismissed += 1
        }
        return Judgement(.accepted, sent: sent)
    }

    private func sending(of record: DeviceRecord) -> Int64? {
        guard case .sent(let offset) = record.time else { return nil }
        return self.base + offset
    }

    private func send(_ event: PushEvent, _ record: inout DeviceRecord) -> Judgement {
        let sent = event.sentMS ?? event.serverMS
        switch event.acceptance {
        case .accepted:
            self.tally.accepted += 1
            if event.isEligible != false { self.tally.eligible += 1 }
        case .rejected(let reason): self.tally.reject(reason)
        }
        self.tally.noteSending(at: sent)
        if case .arrivedUnsent(let offset, let isAdjusted) = record.time {
            self.pendingCount -= 1
            self.tally.lagUnknown -= 1
            let arrival = self.base + offset
            if arrival < sent, !isAdjusted { self.tally.skewAdjusted += 1 }
            self.tally.add(lag: max(0, arrival - sent))
        }
        record.time = .sent(sent - self.base)
        return Judgement(.accepted, sent: sent)
    }

    private func arrive(_ event: PushEvent, _ record: inout DeviceRecord) -> Judgement {
        let sent = event.sentMS ?? self.sending(of: record)
        let time = PushTime(of: event, sentMS: sent)
        self.tally.arrived += 1
        // By the event alone: what else is known of the sending depends on what came before.
        self.tally.noteArrival(at: PushTime(of: event).correctedMS)
        if time.isAdjusted { self.tally.skewAdjusted += 1 }
        if let lag = time.lagMS {
            self.tally.add(lag: lag)
        } else {
            self.pendingCount += 1
            self.tally.lagUnknown += 1
            record.time = .arrivedUnsent(time.correctedMS - self.base, isAdjusted: time.isAdjusted)
        }
        return Judgement(.accepted, sent: sent ?? self.tally.firstSent)
    }

    // MARK: - Snapshots

    /// What is told to others: arrivals of devices whose own sending nobody has told of are measured from the first
    /// that this partition knows.
    package func snapshot() -> CohortSnapshot {
        var tally = self.tally
        if self.pendingCount > 0, let sent = tally.firstSent {
            self.devices?.forEach { record in
                guard case .arrivedUnsent(let offset, _) = record.time else { return }
                tally.add(lag: max(0, self.base + offset - sent))
                tally.lagUnknown -= 1
            }
        }
        return self.snapshot(tally)
    }

    /// What is remembered: the tally as it is, and the devices of which something is new since this was last asked.
    package func takeChanges() -> CohortSnapshot {
        var snapshot = self.snapshot(self.tally)
        // Of a device that has changed twice the later record overwrites the earlier, as it does when it is read.
        snapshot.devices = self.changes
        self.changes = []
        return snapshot
    }

    private func snapshot(_ tally: Tally) -> CohortSnapshot {
        CohortSnapshot(
            key: self.key,
            campaignID: self.campaignID,
            source: self.source,
            term: self.term,
            version: self.version,
            isClosed: self.isClosed,
            tally: tally,
            firstSeen: self.firstSeen,
            lastSeen: self.lastSeen,
            base: self.base
        )
    }

    /// All that is known of it, if that is little: at most one device, and nothing to be written or told.
    func idle() -> CohortSnapshot? {
        guard self.deviceCount <= 1, !self.isChanged, self.tellAt == nil, self.changes.isEmpty else {
            return nil
        }
        var snapshot = self.snapshot(self.tally)
        self.devices?.forEach { snapshot.devices.append($0) }
        return snapshot
    }

    /// Takes what a later snapshot of itself says.
    package func restore(_ snapshot: CohortSnapshot) {
        self.campaignID = snapshot.campaignID
        self.version = snapshot.version
        self.tally = snapshot.tally
        self.firstSeen = snapshot.firstSeen
        self.lastSeen = snapshot.lastSeen
        self.pendingCount = snapshot.tally.lagUnknown
        if snapshot.isClosed { self.devices = nil }
        for record in snapshot.devices { self.devices?.restore(record) }
    }

    /// Forgets the devices. From here on every event is late.
    package func close() {
        self.version += 1
        // What is pending stays measured as the last snapshot said.
        self.tally = self.snapshot().tally
        self.pendingCount = 0
        self.devices = nil
        self.changes = []
    }
}
