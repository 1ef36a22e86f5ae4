/// Whether the cluster takes the records of one topic, as far as is known.
struct TopicStanding: Sendable {
    /// The most requests that are let through while the cluster takes no records, to find out when that is
    /// over.
    private static let probesLimit = 8

    /// The reason why the topic cannot be tried, as a sentence; nil if the cluster has it. Only the metadata of
    /// the cluster begins and ends it.
    private(set) var absence: String? = "the cluster has not answered yet"
    /// The reason why the last record was not acknowledged, as a sentence; nil if it was. A topic that stands in
    /// the metadata may take no records all the same, so only an acknowledged record ends it.
    private var failure: String?
    /// Whether the topic was there at any time. Before that, there is nothing to try.
    private var wasPresent = false
    /// The requests that were accepted and not answered.
    var parcelsInHand = 0

    /// The fault that keeps records from being published, as a sentence; nil if none is known.
    var problem: String? { self.absence ?? self.failure }

    /// Whether records are taken.
    var isOpen: Bool { self.problem == nil }

    /// Whether one more request may be accepted.
    var hasRoom: Bool { self.isOpen || self.wasPresent && self.parcelsInHand < Self.probesLimit }

    /// The cluster has acknowledged records.
    mutating func acknowledged() {
        self.found()
        self.failure = nil
    }

    /// The cluster did not acknowledge a record.
    mutating func failed(_ problem: String) { self.failure = problem }

    /// The metadata of the cluster has the topic.
    mutating func found() {
        self.absence = nil
        self.wasPresent = true
    }

    /// The metadata of the cluster does not have the topic, or did not come.
    mutating func missed(_ problem: String) { self.absence = problem }
}
