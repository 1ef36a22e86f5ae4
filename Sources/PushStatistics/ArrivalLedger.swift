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
    private var cohorts: [CohortKey: Cohort] = [:]
    /// Of which something is new since it was last written.
    private var changed: [Cohort] = []
    /// Whose part is to be told, and when. A message that is to be told earlier than planned is in here twice.
    private var due = DueQueue<Cohort>()
    private var ends = DueQueue<Cohort>()
    /// When ends were last looked at.
    private var looked: Int64 = .min

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
    }

    package var cohortCount: Int { self.cohorts.count }

    /// Devices that are held, over all cohorts. Looks at every cohort.
    package var deviceCount: Int { self.cohorts.values.reduce(0) { $0 + $1.deviceCount } }

    /// What all of it takes in memory, near enough. Looks at every cohort.
    package var byteCount: Int { self.cohorts.values.reduce(0) { $0 + $1.byteCount } }

    // MARK: - Events

    package func count(_ event: PushEvent, now: Int64) -> Judgement {
        guard self.rules.environments.contains(event.environment) else {
            return Judgement(.ineligible, sent: event.sentMS)
        }
        let key = CohortKey(of: event)
        guard let cohort = self.cohort(of: key, event, now: now) else {
            return Judgement(.late, sent: event.sentMS)
        }
        let judgement = cohort.count(event, of: self.device(of: event), self.rules)
        self.note(cohort, now: now)
        return judgement
    }

    /// Counts an event that names no device.
    package func count(withoutDevice event: PushEventHeader, now: Int64) {
        let cohort = self.cohort(of: CohortKey(of: event), at: event.serverMS, now: now)
        cohort.countWithoutDevice(at: event.serverMS)
        self.note(cohort, now: now)
    }

    /// Nil for an event that is so late by its own word that its message is forgotten everywhere: to begin to count it
    /// again would put a few late events in the place of all that was told of it.
    private func cohort(of key: CohortKey, _ event: PushEvent, now: Int64) -> Cohort? {
        if let cohort = self.cohorts[key] { return cohort }
        let remembered = self.rules.allowedLateness.wholeMilliseconds.addingClamped(self.retention)
        if event.kind != .sent, PushTime.isLate(event, sentMS: event.sentMS, allowedMS: remembered) {
            return nil
        }
        return self.cohort(of: key, at: event.serverMS, now: now)
    }

    private func cohort(of key: CohortKey, at time: Int64, now: Int64) -> Cohort {
        if let cohort = self.cohorts[key] { return cohort }
        let cohort = Cohort(
            key,
            source: self.source,
            term: now,
            seen: time,
            rules: self.rules,
            seed: self.seed
        )
        self.cohorts[key] = cohort
        self.ends.add(cohort, due: cohort.end(self.rules))
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
        let end = self.ends.nextDue.map { max($0, self.looked.addingClamped(Self.lookInterval)) }
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
        }
    }

    private func closeEnded(now: Int64, progress: Int64) {
        var open: [Cohort] = []
        while let cohort = self.ends.popDue(at: progress) {
            let end = cohort.end(self.rules)
            if end > progress {
                self.ends.add(cohort, due: end)
            } else if !cohort.isClosed {
                cohort.close()
                self.change(cohort)
                // At once: it is the last word.
                self.tell(cohort, at: now)
                self.ends.add(cohort, due: max(progress + 1, end.addingClamped(self.retention)))
            } else if end.addingClamped(self.retention) > progress {
                self.ends.add(cohort, due: end.addingClamped(self.retention))
            } else if cohort.isChanged || cohort.tellAt != nil {
                // Nothing is forgotten that has not been written and told.
                open.append(cohort)
            } else if self.cohorts[cohort.key] === cohort {
                self.cohorts[cohort.key] = nil
            }
        }
        for cohort in open { self.ends.add(cohort, due: progress + 1) }
    }

    // MARK: - What is read back

    /// Takes a change as it was written, in the order of the writing.
    package func restore(_ snapshot: CohortSnapshot) {
        if let cohort = self.cohorts[snapshot.key], cohort.term == snapshot.term {
            cohort.restore(snapshot)
        } else {
            let cohort = Cohort(snapshot, seed: self.seed)
            cohort.restore(snapshot)
            self.cohorts[snapshot.key] = cohort
        }
    }

    /// Everything has been read back. Nobody knows what of it has been told, so all of it is.
    package func restored(now: Int64) {
        for cohort in self.cohorts.values {
            cohort.noteCounted(at: now)
            self.tell(cohort, now: now)
            self.ends.add(cohort, due: cohort.end(self.rules))
        }
    }
}
