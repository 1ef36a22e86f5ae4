/// The life of one record with its replays: the events in order of time, and the end.
struct RecordLife: Hashable, Sendable {
    /// The present state of a record.
    enum State: Hashable, Sendable {
        /// The record ended with this fate.
        case ended(fate: String, reason: String?)
        /// The record ended as a dead letter with this id.
        case deadLettered(letter: String?, reason: String?)
        /// The dead letter was discarded.
        case discarded(letter: String, by: String)
        case parked(room: String)
        case retrying(reason: String, due: Int64)
        /// The record has a dead letter and no outcome yet.
        case beingDeadLettered(letter: String?)
        /// The record was published, and nothing else is known of it.
        case open
    }

    /// The place of the record that was published first.
    let id: RecordPlace
    /// The mark of the record's key; nil if it has none, or no event tells it.
    let keyMark: String?
    /// The events in order of time.
    let events: [LifeEvent]
    /// The state of the record, or of its last replay.
    let state: State

    /// Sorts events into lives, the oldest life first. A replay belongs to the life of the record that it
    /// repeats.
    static func lives(of events: some Collection<LifeEvent>) -> [RecordLife] {
        var homes: [String: RecordPlace] = [:]
        for event in events {
            if let letter = event.letter, let subject = event.subject { homes[letter] = subject }
        }
        let times = Self.timesOfReplays(events)
        var sources: [RecordPlace: RecordPlace] = [:]
        for event in events {
            guard let subject = event.subject else { continue }
            if case .replayed(let letter) = event.kind, let home = homes[letter], home != subject {
                sources[subject] = home
            } else if let origin = event.origin, origin != subject {
                sources[subject] = origin
            }
        }
        var lives: [RecordPlace: [LifeEvent]] = [:]
        for var event in events {
            guard let subject = event.subject ?? event.letter.flatMap({ homes[$0] }) else { continue }
            if case .replayed(let letter) = event.kind { event.at = times[letter] ?? event.at }
            lives[self.root(of: subject, sources), default: []].append(event)
        }
        return lives.map { RecordLife($0, $1) }.sorted { one, other in
            (one.events.first?.at ?? 0, one.id.offset) < (other.events.first?.at ?? 0, other.id.offset)
        }
    }

    /// Returns the time at which each dead letter was published again: that of the ledger, or else that of the
    /// letter. The record of a replay keeps the timestamp of the first record.
    private static func timesOfReplays(_ events: some Collection<LifeEvent>) -> [String: Int64] {
        var times: [String: Int64] = [:]
        for event in events {
            guard let letter = event.letter, let at = event.at else { continue }
            switch event.kind {
            case .ordered: times[letter] = at
            case .letter: times[letter] = times[letter] ?? at
            default: continue
            }
        }
        return times
    }

    /// Follows the replays back to the first record. Headers can be forged, so the way has an end.
    private static func root(of place: RecordPlace, _ sources: [RecordPlace: RecordPlace]) -> RecordPlace {
        var place = place
        var seen: Set = [place]
        while let source = sources[place], seen.insert(source).inserted { place = source }
        return place
    }

    private init(_ id: RecordPlace, _ events: [LifeEvent]) {
        self.id = id
        self.events = events.sorted { one, other in
            (one.at ?? 0, one.rank, one.place.offset) < (other.at ?? 0, other.rank, other.place.offset)
        }
        self.keyMark = events.lazy.compactMap(\.keyMark).first
        self.state = Self.state(after: self.events)
    }

    // MARK: - The present state

    private static func state(after events: [LifeEvent]) -> State {
        // The last record that was published is the one that counts: a replay takes the place of its letter.
        let last = events.last { event in
            switch event.kind {
            case .published, .replayed, .passedOn: true
            default: false
            }
        }
        let place = last?.subject ?? events.last?.subject
        let own = events.filter { event in
            guard let place, let subject = event.subject else { return false }
            return subject == place || event.origin == place
        }
        if let outcome = own.first(where: \.isOutcome), case .outcome(let fate, let reason, _) = outcome.kind
        {
            guard fate == "dead_lettered" else { return .ended(fate: fate, reason: reason) }
            return Self.discarded(outcome.letter, in: events)
                ?? .deadLettered(letter: outcome.letter, reason: reason)
        }
        for event in own.reversed() {
            switch event.kind {
            case .letter: return .beingDeadLettered(letter: event.letter)
            case .parked(let room): return .parked(room: room)
            case .unparked: return .open
            case .retried(let reason, _, let due): return .retrying(reason: reason, due: due)
            default: continue
            }
        }
        return .open
    }

    private static func discarded(_ letter: String?, in events: [LifeEvent]) -> State? {
        guard let letter else { return nil }
        for event in events where event.letter == letter {
            if case .discarded(let user) = event.kind { return .discarded(letter: letter, by: user) }
        }
        return nil
    }
}

extension LifeEvent {
    fileprivate var isOutcome: Bool { if case .outcome = self.kind { true } else { false } }
}
