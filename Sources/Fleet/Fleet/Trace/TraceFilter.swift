/// The choice of the events that belong to a trace. It grows with what is found: the replay of a record is a
/// record of its own.
struct TraceFilter {
    /// The most events that are kept.
    static let mostEvents = 10_000

    private let key: [UInt8]?
    /// The places of the input records that are traced.
    private(set) var places: Set<RecordPlace> = []
    /// The ids of their dead letters.
    private var letters: Set<String> = []
    private(set) var events: Set<LifeEvent> = []

    init(_ subject: TraceSubject) {
        self.key = if case .key(let key) = subject { key } else { nil }
        switch subject {
        case .place(let place): self.places = [place]
        case .letter(let letter): self.letters = [letter]
        case .key: break
        }
    }

    /// The number of places and letters that are looked for. If it has grown in a pass over the topics,
    /// another pass may find more.
    var breadth: Int { self.places.count + self.letters.count }

    /// Whether no more events are kept.
    var isFull: Bool { self.events.count >= Self.mostEvents }

    /// Keeps an event if it belongs to the trace.
    ///
    /// - Parameter key: The key of the record that told it.
    mutating func take(_ event: LifeEvent, key: [UInt8]?) {
        guard !self.isFull, self.isWanted(event, key: key) else { return }
        self.events.insert(event)
        if let subject = event.subject { self.places.insert(subject) }
        if let letter = event.letter { self.letters.insert(letter) }
        if case .replayed(let letter) = event.kind { self.letters.insert(letter) }
    }

    private func isWanted(_ event: LifeEvent, key: [UInt8]?) -> Bool {
        if let key, key == self.key, event.subject != nil { return true }
        if let subject = event.subject, self.places.contains(subject) { return true }
        if let origin = event.origin, self.places.contains(origin) { return true }
        if let letter = event.letter, self.letters.contains(letter) { return true }
        if case .replayed(let letter) = event.kind { return self.letters.contains(letter) }
        return false
    }
}
