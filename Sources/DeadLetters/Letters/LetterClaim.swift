import WireFormats

/// An id that a letter has of its own, and what it must be a digest of.
struct LetterClaim: Hashable, Sendable {
    var id: LetterID
    var source: DeadLetterNotice.Source

    /// Nil for a letter without an id, or without what it takes to believe one.
    init?(_ facts: DeadLetterFacts, clusterID: String) {
        guard let id = facts.claimedID.flatMap({ LetterID($0) }), let topic = facts.sourceTopic,
            let partition = facts.sourcePartition, let offset = facts.sourceOffset,
            let group = facts.sourceGroup
        else { return nil }
        self.id = id
        self.source = DeadLetterNotice.Source(
            clusterID: clusterID,
            topic: topic,
            partition: partition,
            offset: offset,
            group: group,
            timestamp: nil
        )
    }
}

extension LetterPosition {
    /// What the id of a letter is made of that has none which can be believed: where it lies.
    func source(clusterID: String) -> DeadLetterNotice.Source {
        DeadLetterNotice.Source(
            clusterID: clusterID,
            topic: self.topic,
            partition: self.partition,
            offset: self.offset,
            group: "",
            timestamp: nil
        )
    }
}
