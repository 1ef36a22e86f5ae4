import ServiceKit

/// Whether the cluster takes the records of one topic, as far as is known.
struct TopicStanding: Sendable {
    private struct Failure {
        var words: String
        /// The time at which it was learned, in monotonic nanoseconds.
        var learnedAt: Int64
    }

    /// The most requests that are let through while the cluster takes no records, to find out when that is
    /// over.
    private static let probesLimit = 8
    /// How long a failure is believed that no request has confirmed.
    private static let failureMemory = Duration.seconds(60)

    /// The reason why the topic cannot be tried, as a sentence; nil if the cluster has it. Only the metadata of
    /// the cluster begins and ends it.
    private(set) var absence: String? = "the cluster has not answered yet"
    /// The failure of a record since which none was acknowledged; nil if there is none. A topic that stands in the
    /// metadata may take no records all the same, so the metadata do not end it.
    private var failure: Failure?
    /// The monotonic time of the last record that was acknowledged.
    private var acknowledgedAt = Int64.min
    /// Whether the topic was there at any time. Before that, there is nothing to try.
    private var wasPresent = false
    /// The requests that were let through while the topic was closed, and are not answered.
    private var probesInHand = 0

    /// The fault that keeps records from being published, as a sentence; nil if none is known.
    var problem: String? { self.absence ?? self.failure?.words }

    /// Whether records are taken.
    var isOpen: Bool { self.problem == nil }

    /// Whether one more request may be accepted.
    var hasRoom: Bool { self.isOpen || self.wasPresent && self.probesInHand < Self.probesLimit }

    /// Accepts one more request.
    ///
    /// - Returns: Whether it is a probe, of whose end `probesEnded` has to be told; nil if it is not accepted.
    mutating func accept() -> Bool? {
        guard self.hasRoom else { return nil }
        guard !self.isOpen else { return false }
        self.probesInHand += 1
        return true
    }

    /// Probes were answered, however that was.
    mutating func probesEnded(_ count: Int) { self.probesInHand -= count }

    /// The cluster has acknowledged records.
    mutating func acknowledged(at now: Int64) {
        self.found()
        self.acknowledgedAt = now
        self.failure = nil
    }

    /// The cluster did not acknowledge a record that was accepted at some monotonic time. If others were
    /// acknowledged since, it is the matter of one partition, and the topic stays open.
    mutating func failed(_ words: String, acceptedAt: Int64, at now: Int64) {
        guard acceptedAt > self.acknowledgedAt else { return }
        self.failure = Failure(words: words, learnedAt: now)
    }

    /// Forgets a failure that nobody has confirmed for a minute: without requests, nothing else would open the topic.
    mutating func forgetOldFailure(at now: Int64) {
        guard let failure, self.probesInHand == 0,
            now - failure.learnedAt > Self.failureMemory.wholeNanoseconds
        else { return }
        self.failure = nil
    }

    /// The metadata of the cluster has the topic.
    mutating func found() {
        self.absence = nil
        self.wasPresent = true
    }

    /// The metadata of the cluster does not have the topic.
    mutating func missed(_ problem: String) { self.absence = problem }

    /// The metadata of the cluster did not come in time. A topic whose records it has acknowledged of late is well: the
    /// cluster is slow.
    mutating func unheard(_ problem: String, at now: Int64) {
        guard
            self.failure != nil
                || self.acknowledgedAt.addingClamped(Self.failureMemory.wholeNanoseconds) < now
        else { return }
        self.absence = problem
    }
}
