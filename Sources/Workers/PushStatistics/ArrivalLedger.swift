import ServiceKit
package import WireFormats

/// The state of one input partition: its cohorts, the changes that must be written, and the parts that are
/// due.
///
/// A cohort is one message as this partition has counted it. A change goes to the changelog, from which a
/// restarted worker restores the state. A part goes to the topic where the parts of all partitions are added
/// up.
///
/// The ledger never reads a clock; the caller passes every time, in milliseconds since 1970. `now` is the
/// time of this machine. `progress` is the time up to which the partition has been read. Both are equal only
/// after everything has been read. A worker that catches up with the records of a week therefore closes no
/// cohort too early.
package final class ArrivalLedger {
    /// The number of the input partition.
    package let source: Int32
    let rules: CohortRules
    private let pace: EmissionPace
    private let retention: Int64
    private let seed: UInt64
    private let fingerprint = FingerprintMachine()
    /// The cohorts that hold more than one device, and the cohorts that have a change to be written or a part
    /// to be published.
    private var cohorts: [CohortKey: Cohort] = [:]
    /// All other cohorts, as bytes: each holds at most one device. Every closed cohort ends up here.
    private var folded: FoldedCohorts
    /// The first bucket of folded cohorts whose parts have not been published since the state was restored;
    /// nil if there is no such bucket.
    private var toldBuckets: Int?
    private var limit: NewMessageLimit
    /// The number of segments that are remembered, for each day and dimension.
    var segmentCounts = SegmentCounts()
    /// Whether the worker is short of memory. While this is true, a message begins and grows only if a sender or
    /// `NewMessageLimit.manyDevices` devices tell of it.
    package var isCrowded = false
    /// The cohorts that have changed since they were last written.
    private var changed: [Cohort] = []
    /// The cohorts whose part is due, by time. A cohort whose part was moved to an earlier time is in the
    /// queue twice; `tellAt` says which entry is valid.
    private var due = DueQueue<Cohort>()
    /// A lower bound of the time at which the next cohort in `cohorts` is closed or forgotten.
    private var endsFrom = Int64.max
    /// The value of `now` in the last call of `collect`.
    private var looked: Int64 = .min

    /// Up to this number, all cohorts are searched as soon as one of them may have ended; a larger number is
    /// searched once per `lookThroughInterval`.
    private static let fewCohorts = 4_096
    /// The shortest time between two searches through many cohorts, in milliseconds.
    private static let lookThroughInterval: Int64 = 60_000
    /// The value of `now` at the last search for ended cohorts.
    private var lookedThrough: Int64 = .min

    /// The pause before the next search while this machine's clock has passed the end of a cohort and the
    /// partition's progress has not, in milliseconds.
    private static let lookInterval: Int64 = 1_000

    /// Creates a ledger without cohorts.
    ///
    /// - Parameters:
    ///   - source: the number of the input partition.
    ///   - rules: the rules by which events are counted.
    ///   - pace: how often the part of a cohort is published.
    ///   - retention: how long a closed cohort is remembered after its end, so that a late event is not taken
    ///     for the first event of a new message. A cohort that only one device has reported is remembered for
    ///     the allowed lateness at most.
    ///   - seed: a random number that nobody outside this process knows. It keeps devices from choosing their
    ///     places in the hash tables.
    package init(
        source: Int32,
        rules: CohortRules,
        pace: EmissionPace,
        retention: Duration = .seconds(30 * 86_400),
        seed: UInt64
    ) {
        self.source = source
        self.rules = rules
        self.pace = pace
        self.retention = retention.wholeMilliseconds
        self.seed = seed
        self.folded = FoldedCohorts(edges: rules.lagEdges)
        self.limit = NewMessageLimit(rate: rules.newMessages)
    }

    /// The number of cohorts, open and closed.
    package var cohortCount: Int { self.cohorts.count + self.folded.count }

    /// An estimate of the number of devices in memory, over all cohorts. An open folded cohort counts as one
    /// device, also if it holds none. The getter visits every cohort that is not folded.
    package var deviceCount: Int {
        self.cohorts.values.reduce(self.folded.openCount) { $0 + $1.deviceCount }
    }

    /// The approximate size of the ledger in memory, in bytes. The getter visits every cohort that is not
    /// folded.
    package var byteCount: Int {
        self.cohorts.values.reduce(self.folded.byteCount + self.limit.byteCount) { $0 + $1.byteCount }
    }

    // MARK: - Events

    /// Counts an event that names a device.
    ///
    /// - Parameters:
    ///   - event: the decoded event. Its `appBundle` is already the id of the app, not of the app's
    ///     extension.
    ///   - now: the time of this machine, in milliseconds since 1970.
    /// - Returns: how the event counts. An event of an environment that is not counted, and an event that
    ///   exceeds the limit of new messages, change no cohort.
    package func count(_ event: PushEvent, now: Int64) -> Judgement {
        guard self.rules.environments.contains(event.environment) else {
            return Judgement(.ineligible, sent: event.sentMS)
        }
        let key = CohortKey(of: event)
        let device = self.device(of: event)
        let cohort: Cohort
        switch self.cohort(of: key, event, device, now: now) {
        case .known(let known): cohort = known
        case .forgotten: return Judgement(.late, sent: event.sentMS)
        case .beyondLimit:
            var judgement = Judgement(.ineligible, sent: event.sentMS)
            judgement.isBeyondLimit = true
            return judgement
        }
        let judgement = cohort.count(event, of: device, self.rules)
        self.note(cohort, now: now)
        self.countSegments(of: event, judgement, now: now)
        return judgement
    }

    /// Counts an event that names no device. The event is dropped if its message is unknown and may not begin
    /// a cohort.
    package func count(withoutDevice event: PushEventHeader, now: Int64) {
        let key = CohortKey(of: event)
        guard
            let cohort = self.known(key)
                ?? (self.limit.admits(key, device: nil, isCrowded: self.isCrowded, at: now)
                    ? self.begin(key, at: event.serverMS, now: now) : nil)
        else { return }
        cohort.countWithoutDevice(at: event.serverMS)
        self.note(cohort, now: now)
    }

    private enum Place {
        case known(Cohort)
        /// The event says itself that its push was sent so long ago that every partition has forgotten the
        /// message. If the event began a new cohort, the statistics of a few late events would replace
        /// everything that was published before.
        case forgotten
        /// The message is unknown, and its app has begun too many messages that only one device has reported; or
        /// memory is short, and too few devices have reported the message.
        case beyondLimit
    }

    private func cohort(of key: CohortKey, _ event: PushEvent, _ device: Fingerprint, now: Int64) -> Place {
        // A `sent` event comes from a sender, so no device can have invented its message.
        let mayGrow = event.kind == .sent || !self.isCrowded || self.mayGrow(key, by: device)
        if mayGrow, let cohort = self.known(key) { return .known(cohort) }
        if event.kind != .sent {
            let remembered = self.rules.allowedLateness.wholeMilliseconds.addingClamped(self.retention)
            if PushTime.isLate(event, sentMS: event.sentMS, allowedMS: remembered) { return .forgotten }
            // Events that name no message share one cohort per day and app. A device can invent apps, so that
            // they need the limit, too.
            guard self.limit.admits(key, device: device.high, isCrowded: self.isCrowded, at: now) else {
                return .beyondLimit
            }
        }
        return .known((mayGrow ? nil : self.known(key)) ?? self.begin(key, at: event.serverMS, now: now))
    }

    /// Returns whether a known message may grow by an event of a device while memory is short.
    private func mayGrow(_ key: CohortKey, by device: Fingerprint) -> Bool {
        let cohort = self.cohorts[key] ?? self.folded.cohort(of: key).map(self.unfolded)
        return cohort?.mayGrow(by: device) ?? false
    }

    /// Returns the cohort of a message, as an object; a folded cohort is unfolded. Nil if the message is
    /// unknown.
    func known(_ key: CohortKey) -> Cohort? {
        if let cohort = self.cohorts[key] { return cohort }
        guard let cohort = self.folded.take(key).map({ self.unfold($0.snapshot) }) else { return nil }
        self.noteEnd(of: cohort)
        return cohort
    }

    /// Turns a folded or stored cohort into an object and adds it to `cohorts`.
    private func unfold(_ snapshot: CohortSnapshot) -> Cohort {
        let cohort = self.unfolded(snapshot)
        self.cohorts[snapshot.key] = cohort
        return cohort
    }

    /// Returns a folded or stored cohort as an object.
    private func unfolded(_ snapshot: CohortSnapshot) -> Cohort {
        let cohort = Cohort(snapshot, seed: self.seed)
        cohort.restore(snapshot)
        return cohort
    }

    /// Folds a cohort of at most one device into bytes if it has nothing to be written or published.
    private func foldIfIdle(_ cohort: Cohort) {
        guard self.cohorts[cohort.key] === cohort, let snapshot = cohort.idle(),
            self.folded.put(snapshot, due: self.due(of: cohort))
        else { return }
        self.cohorts[cohort.key] = nil
    }

    /// Returns the time at which an open cohort is closed, or a closed cohort is forgotten.
    private func due(of cohort: Cohort) -> Int64 {
        let end = cohort.end(self.rules)
        return cohort.isClosed ? end.addingClamped(self.retention(of: cohort)) : end
    }

    /// Returns how long a closed cohort is remembered, in milliseconds. A message that only one device has
    /// reported may be invented; it is remembered for the allowed lateness at most. So is a segment, in which no event
    /// counts that comes later.
    private func retention(of cohort: Cohort) -> Int64 {
        cohort.tally.isProven && cohort.key.segment.isEmpty
            ? self.retention : min(self.retention, self.rules.allowedLateness.wholeMilliseconds)
    }

    /// Lowers `endsFrom` to the end of this cohort.
    private func noteEnd(of cohort: Cohort) { self.endsFrom = min(self.endsFrom, self.due(of: cohort)) }

    func begin(_ key: CohortKey, at time: Int64, now: Int64) -> Cohort {
        let cohort = Cohort(
            key,
            source: self.source,
            term: now,
            seen: time,
            rules: self.rules,
            seed: self.seed
        )
        self.cohorts[key] = cohort
        self.segmentCounts.began(key)
        return cohort
    }

    /// Returns the fingerprint of the event's device. If the event names no message, the payload and the
    /// minute are part of the fingerprint, so that only repeated reports count as duplicates.
    private func device(of event: PushEvent) -> Fingerprint {
        guard event.messageID.isEmpty else { return self.fingerprint(event.deviceID) }
        let content = event.payloadSHA256.isEmpty ? event.eventID : event.payloadSHA256
        let minute = (event.deviceMS ?? event.serverMS) / 60_000
        return self.fingerprint("\(event.deviceID)\0\(content)\0\(minute)")
    }

    /// Plans the next write and the next part of a cohort that has counted an event.
    func note(_ cohort: Cohort, now: Int64) {
        cohort.noteCounted(at: now)
        self.noteEnd(of: cohort)
        guard !cohort.isChanged else { return }
        self.change(cohort)
        self.tell(cohort, now: now)
    }

    private func change(_ cohort: Cohort) {
        guard !cohort.isChanged else { return }
        cohort.isChanged = true
        self.changed.append(cohort)
    }

    private func tell(_ cohort: Cohort, now: Int64) {
        guard cohort.tellAt == nil else { return }
        self.tell(cohort, at: now + self.pace.interval(age: now - cohort.term, of: cohort.key))
    }

    private func tell(_ cohort: Cohort, at time: Int64) {
        guard time < cohort.tellAt ?? .max else { return }
        cohort.tellAt = time
        self.due.add(cohort, due: time)
    }

    // MARK: - Output

    /// The time of the next call of `collect` that has something to do, also if no more events arrive: the
    /// next part is due, or the next cohort may end. Nil if there is nothing to wait for; the lowest possible
    /// value if parts of restored cohorts are still to be published.
    package var nextDue: Int64? {
        if self.toldBuckets != nil { return .min }
        let ends = min(self.endsFrom, self.folded.nextDue ?? .max)
        let end = ends == .max ? nil : max(ends, self.nextLook)
        return [self.due.nextDue, end].compactMap(\.self).min()
    }

    /// Whether a cohort has changed since it was last written.
    package var hasChanges: Bool { !self.changed.isEmpty }

    /// Closes the cohorts that have ended, and hands out the changes that must be written and the parts that
    /// are due.
    ///
    /// - Parameters:
    ///   - now: the time of this machine, in milliseconds since 1970.
    ///   - progress: the time up to which the partition has been read, in milliseconds since 1970.
    ///   - limit: the greatest number of parts in this call; all others stay due. Restored cohorts are
    ///     published by whole buckets, so the last bucket may exceed the limit.
    ///   - change: called for every changed cohort. The snapshot must be written to the changelog.
    ///   - part: called for every part that is due. The snapshot must be published.
    package func collect(
        now: Int64,
        progress: Int64,
        limit: Int = 2_000,
        change: (CohortSnapshot) -> Void,
        part: (CohortSnapshot) -> Void
    ) {
        self.looked = now
        self.closeEnded(now: now, progress: progress)
        for cohort in self.changed {
            cohort.isChanged = false
            change(cohort.takeChanges())
        }
        self.changed.removeAll(keepingCapacity: true)
        var told = 0
        while told < limit, let cohort = self.due.popDue(at: now) {
            guard let time = cohort.tellAt, time <= now else { continue }
            cohort.tellAt = nil
            part(cohort.snapshot())
            told += 1
            self.foldIfIdle(cohort)
        }
        self.tellFolded(atMost: limit - told, part)
    }

    /// Publishes the parts of cohorts that were restored and folded, bucket by bucket.
    private func tellFolded(atMost limit: Int, _ part: (CohortSnapshot) -> Void) {
        var left = limit
        while let bucket = self.toldBuckets, left > 0 {
            self.folded.forEach(in: bucket) { snapshot in
                let cohort = Cohort(snapshot, seed: self.seed)
                cohort.restore(snapshot)
                part(cohort.snapshot())
                left -= 1
            }
            self.toldBuckets = bucket + 1 < self.folded.bucketCount ? bucket + 1 : nil
        }
    }

    /// The earliest time of the next search for ended cohorts. Few cohorts are searched every second, many
    /// once a minute, because each search visits all of them.
    private var nextLook: Int64 {
        self.cohortCount <= Self.fewCohorts
            ? self.looked.addingClamped(Self.lookInterval)
            : self.lookedThrough.addingClamped(Self.lookThroughInterval)
    }

    private func closeEnded(now: Int64, progress: Int64) {
        let ends = min(self.endsFrom, self.folded.nextDue ?? .max)
        guard ends <= progress else { return }
        if self.cohortCount > Self.fewCohorts {
            // If the clock was set back, the search must not wait until the clock has caught up.
            let isTime = now >= self.nextLook || now < self.lookedThrough
            guard isTime else { return }
        }
        self.lookedThrough = now
        self.endsFrom = .max
        for cohort in Array(self.cohorts.values) { self.end(cohort, now: now, progress: progress) }
        for entry in self.folded.takeDue(at: progress) {
            if entry.snapshot.isClosed {
                self.segmentCounts.ended(entry.snapshot.key)
            } else {
                self.end(self.unfold(entry.snapshot), by: entry.due, now: now, progress: progress)
            }
        }
    }

    /// Closes an open cohort that has ended, and forgets a closed one whose retention is over.
    ///
    /// - Parameter due: the end of the cohort; nil if the cohort itself knows it. An unfolded cohort has lost
    ///   the time of its last event, so its stored end is passed here.
    private func end(_ cohort: Cohort, by due: Int64? = nil, now: Int64, progress: Int64) {
        let due = due ?? self.due(of: cohort)
        guard due <= progress else { return self.endsFrom = min(self.endsFrom, due) }
        guard cohort.isClosed else {
            cohort.close()
            self.change(cohort)
            // The last part of a cohort is published without delay.
            self.tell(cohort, at: now)
            return self.noteEnd(of: cohort)
        }
        // A cohort is forgotten only after its last change was written and its last part was published.
        guard cohort.isChanged || cohort.tellAt != nil else {
            self.cohorts[cohort.key] = nil
            self.segmentCounts.ended(cohort.key)
            return
        }
        self.endsFrom = min(self.endsFrom, progress + 1)
    }

    // MARK: - Restoring

    /// Applies one snapshot from the changelog. Snapshots must be applied in the order in which they were
    /// written.
    ///
    /// A snapshot of another term replaces the cohort, because the partition had forgotten the message in
    /// between.
    package func restore(_ snapshot: CohortSnapshot) {
        let cohort: Cohort
        switch self.known(snapshot.key) {
        case let known? where known.term == snapshot.term:
            cohort = known
            cohort.restore(snapshot)
        case let known:
            if known == nil { self.segmentCounts.began(snapshot.key) }
            cohort = self.unfold(snapshot)
        }
        self.foldIfIdle(cohort)
    }

    /// Plans the parts of all restored cohorts. The changelog does not say which parts have been published,
    /// so every part is published again.
    ///
    /// Call this once, after the last `restore`.
    package func restored(now: Int64) {
        for cohort in self.cohorts.values {
            cohort.noteCounted(at: now)
            self.tell(cohort, now: now)
            self.noteEnd(of: cohort)
        }
        self.toldBuckets = self.folded.count > 0 ? 0 : nil
    }
}
