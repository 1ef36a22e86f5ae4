import ServiceKit
package import WireFormats

/// One message as one input partition has counted it: the tally, and the devices whose events were counted.
///
/// The cohort of a segment of devices counts the events that the cohorts of their messages have accepted, and holds no
/// devices.
///
/// The tally depends only on the set of events and not on their order, provided that the time of sending of
/// each arrival is known from the push itself or from a `sent` event of its device. There is one exception:
/// if a device reports the same kind of event twice, the event that comes first is counted.
package final class Cohort {
    /// The message that is counted.
    package let key: CohortKey
    /// The number of the input partition.
    package let source: Int32
    /// The time at which this partition began to count the message, in milliseconds since 1970. A partition
    /// that has forgotten a message and reads about it again begins a new term.
    package let term: Int64
    /// The campaign that the first event with a campaign named; empty until then.
    package private(set) var campaignID: String
    /// A number that grows by one with each event and with the closing of the cohort.
    package private(set) var version: Int64
    /// The counts. Arrivals whose time of sending is unknown are in `lagUnknown`, until `snapshot()` or
    /// `close()` assigns a lag to them.
    package private(set) var tally: Tally
    /// The server time of the earliest event, in milliseconds since 1970.
    package private(set) var firstSeen: Int64
    /// The server time of the latest event, in milliseconds since 1970.
    package private(set) var lastSeen: Int64
    /// Whether the cohort has changed since it was last written. The ledger keeps this value.
    var isChanged = false
    /// The time at which the cohort's part is due; nil if no part is planned. The ledger keeps this value.
    var tellAt: Int64?
    /// This machine's time at the last counted event, in milliseconds since 1970.
    private var lastCounted: Int64 = .min
    /// The time from which the times of devices are counted, in milliseconds since 1970.
    private let base: Int64
    /// With a segment: the end of its day, in milliseconds since 1970. Its pushes may be sent until then.
    private let endOfDay: Int64
    /// The devices whose events were counted; nil after the cohort was closed.
    private var devices: DeviceTable?
    /// The device records that have changed since `takeChanges` was last called.
    private var changes: [DeviceRecord] = []
    /// The number of arrivals whose time of sending is unknown.
    private var pendingCount: Int64 = 0

    /// Creates an open cohort without events.
    ///
    /// - Parameters:
    ///   - key: the message that is counted.
    ///   - source: the number of the input partition.
    ///   - term: the present time of this machine, in milliseconds since 1970.
    ///   - seen: the server time of the first event, in milliseconds since 1970.
    ///   - rules: the rules by which events are counted; only the edges of the histogram are used here.
    ///   - seed: a random number that nobody outside this process knows.
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
        // Device times may lie before and after the first event, so the base is in the middle of the range.
        self.base = seen - DeviceRecord.timeRange.upperBound / 2
        self.endOfDay = key.endOfSegmentDay
        self.devices = DeviceTable(seed: seed)
    }

    /// Creates a cohort from a snapshot, without the devices of the snapshot. Call `restore` to add them.
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
        self.endOfDay = snapshot.key.endOfSegmentDay
        self.devices = snapshot.isClosed ? nil : DeviceTable(seed: seed)
        self.pendingCount = snapshot.tally.lagUnknown
    }

    /// Whether the allowed lateness and the grace period are over. A closed cohort has no devices, and every
    /// event is late.
    package var isClosed: Bool { self.devices == nil }

    /// The number of devices whose events were counted; 0 in a closed cohort.
    package var deviceCount: Int { self.devices?.count ?? 0 }

    /// The approximate size of the cohort in memory, in bytes.
    package var byteCount: Int {
        Self.ownByteCount + (self.devices?.byteCount ?? 0) + self.changes.count * 16
            + self.tally.hours.byteCount
    }

    /// The approximate size, in bytes, of the object, its names, its tally and its dictionary entry.
    private static let ownByteCount = 900

    /// Returns the time until which the cohort stays open, in milliseconds since 1970.
    ///
    /// The cohort stays open as long as an event can still be in time. It also stays open for the grace
    /// period after each event that this machine counts, whatever times the event carries.
    package func end(_ rules: CohortRules) -> Int64 {
        let anchor = max(self.tally.lastSent ?? self.lastSeen, self.firstSeen, self.endOfDay)
        return max(
            anchor.addingClamped((rules.allowedLateness + rules.grace).wholeMilliseconds),
            self.lastCounted.addingClamped(rules.grace.wholeMilliseconds)
        )
    }

    /// Returns whether the cohort may grow by an event of a device while memory is short: a sender or many devices
    /// have told of the message. If the cohort is closed or knows the device, the event takes no lasting memory.
    func mayGrow(by device: Fingerprint) -> Bool {
        guard let devices = self.devices else { return true }
        return self.tally.sent > 0 || devices.count >= NewMessageLimit.manyDevices || devices.contains(device)
    }

    /// Records that an event of this message was counted at `now`, by this machine's clock.
    package func noteCounted(at now: Int64) { self.lastCounted = max(self.lastCounted, now) }

    // MARK: - Events

    /// Counts an event of this message.
    ///
    /// - Parameters:
    ///   - event: the event, whose message must be `key`.
    ///   - device: the fingerprint of the device.
    ///   - rules: the rules by which events are counted.
    /// - Returns: how the event counts.
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
            let before = record
            var judgement = self.judge(event, &record, by: rules)
            if judgement.standing == .accepted { changed = record }
            judgement.sentToDevice = self.sending(of: record)
            if event.kind == .sent { judgement.earlierKinds = before.kinds }
            return judgement
        }
        if let changed { self.changes.append(changed) }
        return judgement ?? Judgement(.late)
    }

    /// Counts an event that names no device.
    ///
    /// - Parameter time: the server time of the event, in milliseconds since 1970.
    package func countWithoutDevice(at time: Int64) {
        self.version += 1
        self.lastSeen = max(self.lastSeen, time)
        self.tally.unknownDevice += 1
    }

    /// Decides how an event counts, and updates the tally and the device's record.
    private func judge(_ event: PushEvent, _ record: inout DeviceRecord, by rules: CohortRules) -> Judgement {
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
        case .shown, .attachmentShown, .opened, .dismissed, .converted:
            self.tally.add(event.kind, value: event.value)
        }
        return Judgement(.accepted, sent: sent)
    }

    /// The time from sending within which the report of an arrival is early, in milliseconds.
    private static let earlyLag: Int64 = 3_600_000

    /// Counts an event of a segment, which the cohort of its message has accepted.
    ///
    /// - Parameters:
    ///   - kind: the kind of the event, or of one that the device reported before its `sent` came.
    ///   - event: the event; a value counts only if it is of this kind.
    ///   - sent: when the push was sent to the device, in milliseconds since 1970.
    func count(_ kind: PushEvent.Kind, by event: PushEvent, sentAt sent: Int64) {
        self.version += 1
        self.lastSeen = max(self.lastSeen, event.serverMS)
        self.firstSeen = min(self.firstSeen, event.serverMS)
        switch kind {
        case .sent: self.tally.addSending(event, at: sent)
        case .arrived:
            self.tally.arrived += 1
            // Reports are compared, and not the times of arrival: a device may report days later, so that the arrivals
            // of a week ago are known better than those of yesterday.
            if event.serverMS.subtractingClamped(sent) <= Self.earlyLag { self.tally.early += 1 }
        case .shown, .attachmentShown, .opened, .dismissed, .converted:
            self.tally.add(kind, value: kind == event.kind ? event.value : nil)
        }
    }

    /// Returns when the push was sent to this device, if a `sent` event of the device has said so.
    private func sending(of record: DeviceRecord) -> Int64? {
        guard case .sent(let offset) = record.time else { return nil }
        return self.base + offset
    }

    private func send(_ event: PushEvent, _ record: inout DeviceRecord) -> Judgement {
        let sent = event.sentMS ?? event.serverMS
        self.tally.addSending(event, at: sent)
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
        // The arrival time is computed from the event alone. Other knowledge about the sending depends on the
        // order of the events, and the tally must not.
        let arrival = PushTime(of: event).correctedMS
        self.tally.noteArrival(at: arrival)
        self.tally.hours.add(at: arrival)
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

    /// Returns the snapshot that is published as this partition's part.
    ///
    /// An arrival whose own time of sending is unknown gets a lag here: the time since the earliest sending
    /// of the message that this partition knows.
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

    /// Returns the snapshot that is written to the changelog: the tally as it is, and the devices that have
    /// changed since the last call.
    package func takeChanges() -> CohortSnapshot {
        var snapshot = self.snapshot(self.tally)
        // A device that has changed twice is in the list twice. The later record overwrites the earlier one
        // when the list is restored.
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

    /// Returns the whole state of the cohort if it is small enough to be folded: at most one device, and
    /// nothing to be written or published. Otherwise nil.
    func idle() -> CohortSnapshot? {
        guard self.deviceCount <= 1, !self.isChanged, self.tellAt == nil, self.changes.isEmpty else {
            return nil
        }
        var snapshot = self.snapshot(self.tally)
        self.devices?.forEach { snapshot.devices.append($0) }
        return snapshot
    }

    /// Applies a later snapshot of this cohort. Its device records replace or extend the devices that are
    /// known.
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

    /// Closes the cohort and forgets its devices. Every later event is late.
    package func close() {
        self.version += 1
        // Arrivals whose time of sending is unknown keep the lag that the last snapshot gave them.
        self.tally = self.snapshot().tally
        self.pendingCount = 0
        self.devices = nil
        self.changes = []
    }
}

extension CohortKey {
    /// The end of the day of a segment, in milliseconds since 1970; the lowest number for a message.
    fileprivate var endOfSegmentDay: Int64 {
        guard !self.segment.isEmpty, let day = RFC3339.milliseconds(self.day + "T00:00:00Z") else {
            return .min
        }
        return day.addingClamped(86_400_000)
    }
}
