package import WireFormats
import WorkerKit

/// Everything that one input partition knows: its cohorts, what of them is new, and what is due to be told.
///
/// A value of time comes from outside, always: milliseconds since 1970. `now` is this machine's; `progress` is how far
/// the partition has been read, which is `now` only where everything has been, so that a worker that catches up with a
/// week closes nothing before its time.
package final class ArrivalLedger {
    package let source: Int32
    private let rules: CohortRules
    private let pace: EmissionPace
    private let retention: Int64
    private let seed: UInt64
    private let fingerprint = FingerprintMachine()
    /// Those of more than one device, and those of which something is to be written or told.
    private var cohorts: [CohortKey: Cohort] = [:]
    /// All others.
    private var folded: FoldedCohorts
    /// Places of folded cohorts that have not been told since they were read back; nil if all have.
    private var toldBuckets: Int?
    private var limit: NewMessageLimit
    /// Whether memory is short: then a message that a single device tells of is not begun at all.
    package var isCrowded = false
    /// Of which something is new since it was last written.
    private var changed: [Cohort] = []
    /// Whose part is to be told, and when. A message that is to be told earlier than planned is in here twice.
    private var due = DueQueue<Cohort>()
    /// No cohort ends before.
    private var endsFrom = Int64.max
    /// When ends were last looked at.
    private var looked: Int64 = .min

    /// Up to so many cohorts are looked through whenever one may have ended, and more of them once a minute.
    private static let fewCohorts = 4_096
    private static let lookThroughInterval: Int64 = 60_000
    private var lookedThrough: Int64 = .min

    /// How long it takes until ends are looked at again that this machine's clock has passed, and the partition has not.
    private static let lookInterval: Int64 = 1_000

    /// - Parameters:
    ///   - retention: how long after its end a closed cohort is remembered, so that what is late is told apart from
    ///     what is new.
    ///   - seed: a number that nobody outside knows.
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

    package var cohortCount: Int { self.cohorts.count + self.folded.count }

    /// Devices that are held, over all cohorts; a message of a single device counts as one also when it has ended. Looks
    /// at every cohort of more than one device.
    package var deviceCount: Int {
        self.cohorts.values.reduce(self.folded.openCount) { $0 + $1.deviceCount }
    }

    /// What all of it takes in memory, near enough. Looks at every cohort of more than one device.
    package var byteCount: Int {
        self.cohorts.values.reduce(self.folded.byteCount + self.limit.byteCount) { $0 + $1.byteCount }
    }

    // MARK: - Events

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
        return judgement
    }

    /// Counts an event that names no device, as far as its message is known or may begin.
    package func count(withoutDevice event: PushEventHeader, now: Int64) {
        let key = CohortKey(of: event)
        let isNamed = !event.messageID.isEmpty
        guard
            let cohort = self.known(key)
                ?? (isNamed && !self.limit.admits(key, device: nil, isCrowded: self.isCrowded, at: now)
                    ? nil : self.begin(key, at: event.serverMS, now: now))
        else { return }
        cohort.countWithoutDevice(at: event.serverMS)
        self.note(cohort, now: now)
    }

    private enum Place {
        case known(Cohort)
        /// The event is so late by its own word that its message is forgotten everywhere: to begin to count it again
        /// would put a few late events in the place of all that was told of it.
        case forgotten
        case beyondLimit
    }

    private func cohort(of key: CohortKey, _ event: PushEvent, _ device: Fingerprint, now: Int64) -> Place {
        if let cohort = self.known(key) { return .known(cohort) }
        let remembered = self.rules.allowedLateness.wholeMilliseconds.addingClamped(self.retention)
        if event.kind != .sent, PushTime.isLate(event, sentMS: event.sentMS, allowedMS: remembered) {
            return .forgotten
        }
        // What a sender tells of is no invention of a device, and there is one cohort of a day for all that names none.
        if event.kind != .sent, !event.messageID.isEmpty {
            guard self.limit.admits(key, device: device.high, isCrowded: self.isCrowded, at: now) else {
                return .beyondLimit
            }
        }
        return .known(self.begin(key, at: event.serverMS, now: now))
    }

    private func known(_ key: CohortKey) -> Cohort? {
        if let cohort = self.cohorts[key] { return cohort }
        guard let cohort = self.folded.take(key).map({ self.unfold($0.snapshot) }) else { return nil }
        self.noteEnd(of: cohort)
        return cohort
    }

    private func unfold(_ snapshot: CohortSnapshot) -> Cohort {
        let cohort = Cohort(snapshot, seed: self.seed)
        cohort.restore(snapshot)
        self.cohorts[snapshot.key] = cohort
        return cohort
    }

    /// Keeps a cohort of a single device as bytes, once nothing of it is to be written or told.
    private func foldIfIdle(_ cohort: Cohort) {
        guard self.cohorts[cohort.key] === cohort, let snapshot = cohort.idle(),
            self.folded.put(snapshot, due: self.due(of: cohort))
        else { return }
        self.cohorts[cohort.key] = nil
    }

    /// When a cohort is closed, or forgotten if it is closed.
    private func due(of cohort: Cohort) -> Int64 {
        let end = cohort.end(self.rules)
        return cohort.isClosed ? end.addingClamped(self.retention(of: cohort.tally)) : end
    }

    /// What a single device has invented is not worth remembering for long.
    private func retention(of tally: Tally) -> Int64 {
        tally.isProven ? self.retention : min(self.retention, self.rules.allowedLateness.wholeMilliseconds)
    }

    private func noteEnd(of cohort: Cohort) { self.endsFrom = min(self.endsFrom, self.due(of: cohort)) }

    private func begin(_ key: CohortKey, at time: Int64, now: Int64) -> Cohort {
        let cohort = Cohort(
            key,
            source: self.source,
            term: now,
            seen: time,
            rules: self.rules,
            seed: self.seed
        )
        self.cohorts[key] = cohort
        return cohort
    }

    /// Which device; where no message is named, which device, payload and minute, so that only repeats are repeats.
    private func device(of event: PushEvent) -> Fingerprint {
        guard event.messageID.isEmpty else { return self.fingerprint(event.deviceID) }
        let content = event.payloadSHA256.isEmpty ? event.eventID : event.payloadSHA256
        let minute = (event.deviceMS ?? event.serverMS) / 60_000
        return self.fingerprint("\(event.deviceID)\0\(content)\0\(minute)")
    }

    private func note(_ cohort: Cohort, now: Int64) {
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
        self.tell(cohort, at: now + self.pace.interval(age: now - cohort.term))
    }

    private func tell(_ cohort: Cohort, at time: Int64) {
        guard time < cohort.tellAt ?? .max else { return }
        cohort.tellAt = time
        self.due.add(cohort, due: time)
    }

    // MARK: - What is written

    /// When the next part is due to be told, or the next cohort ends, be it that nothing arrives any more; nil if nothing
    /// is known.
    package var nextDue: Int64? {
        if self.toldBuckets != nil { return .min }
        let ends = min(self.endsFrom, self.folded.nextDue ?? .max)
        let end = ends == .max ? nil : max(ends, self.nextLook)
        return [self.due.nextDue, end].compactMap(\.self).min()
    }

    package var hasChanges: Bool { !self.changed.isEmpty }

    /// Closes what has ended, and gives what must be written for the state to be found again, and what is due to be
    /// told.
    ///
    /// - Parameter limit: parts that are told at most; the others stay due.
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

    /// Tells of the cohorts that were folded as they were read back.
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

    /// When ends are looked at again: often if there are few, since all are looked through.
    private var nextLook: Int64 {
        self.cohortCount <= Self.fewCohorts
            ? self.looked.addingClamped(Self.lookInterval)
            : self.lookedThrough.addingClamped(Self.lookThroughInterval)
    }

    private func closeEnded(now: Int64, progress: Int64) {
        let ends = min(self.endsFrom, self.folded.nextDue ?? .max)
        guard ends <= progress else { return }
        if self.cohortCount > Self.fewCohorts {
            // A clock that was put back must not end this for long.
            let isTime = now >= self.nextLook || now < self.lookedThrough
            guard isTime else { return }
        }
        self.lookedThrough = now
        self.endsFrom = .max
        for cohort in Array(self.cohorts.values) { self.end(cohort, now: now, progress: progress) }
        for entry in self.folded.takeDue(at: progress) where !entry.snapshot.isClosed {
            self.end(self.unfold(entry.snapshot), by: entry.due, now: now, progress: progress)
        }
    }

    /// - Parameter due: when it ends; nil for what it says itself.
    private func end(_ cohort: Cohort, by due: Int64? = nil, now: Int64, progress: Int64) {
        let due = due ?? self.due(of: cohort)
        guard due <= progress else { return self.endsFrom = min(self.endsFrom, due) }
        guard cohort.isClosed else {
            cohort.close()
            self.change(cohort)
            // At once: it is the last word.
            self.tell(cohort, at: now)
            return self.noteEnd(of: cohort)
        }
        // Nothing is forgotten that has not been written and told.
        guard cohort.isChanged || cohort.tellAt != nil else { return self.cohorts[cohort.key] = nil }
        self.endsFrom = min(self.endsFrom, progress + 1)
    }

    // MARK: - What is read back

    /// Takes a change as it was written, in the order of the writing.
    package func restore(_ snapshot: CohortSnapshot) {
        let cohort: Cohort
        if let known = self.known(snapshot.key), known.term == snapshot.term {
            cohort = known
            cohort.restore(snapshot)
        } else {
            cohort = self.unfold(snapshot)
        }
        self.foldIfIdle(cohort)
    }

    /// Everything has been read back. Nobody knows what of it has been told, so all of it is.
    package func restored(now: Int64) {
        for cohort in self.cohorts.values {
            cohort.noteCounted(at: now)
            self.tell(cohort, now: now)
            self.noteEnd(of: cohort)
        }
        self.toldBuckets = self.folded.count > 0 ? 0 : nil
    }
}
