/// Whether the cluster takes the records of one topic, as far as is known.
struct TopicStanding: Sendable {
    /// The most requests whose records are in hand. More than one for each connection there cannot be.
    private static let parcelsLimit = 50_000
    /// The most requests that are let through while the cluster takes no records, to find out when that is
    /// over.
    private static let probesLimit = 8

    /// The fault that keeps records from being published, as a sentence; nil if none is known.
    private(set) var problem: String? = "the cluster has not answered yet"
    /// Whether the topic was there at any time. Before that, there is nothing to try.
    private var wasOpen = false
    /// The requests that were accepted and not answered.
    var parcelsInHand = 0

    /// Whether records are taken.
    var isOpen: Bool { self.problem == nil }

    /// Whether one more request may be accepted.
    var hasRoom: Bool {
        self.parcelsInHand < (self.isOpen ? Self.parcelsLimit : self.wasOpen ? Self.probesLimit : 0)
    }

    mutating func becomesOpen() {
        self.problem = nil
        self.wasOpen = true
    }

    mutating func fails(_ problem: String) { self.problem = problem }
}
