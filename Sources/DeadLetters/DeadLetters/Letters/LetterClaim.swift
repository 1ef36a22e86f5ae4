import WireFormats

/// The id that a dead letter claims in its headers, with the source that the id must be the digest of.
///
/// Anybody may have written the headers, so the id is accepted only if it fits the source; see
/// `LetterID.settled`.
struct LetterClaim: Hashable, Sendable {
    /// The id in the letter's headers.
    var id: LetterID
    /// The position, timestamp and consumer group of the dead record, as the headers name them, in this
    /// cluster.
    var source: DeadLetterNotice.Source

    /// The sources that the id may be the digest of. Older letters have an id that was made without the timestamp.
    var sources: [DeadLetterNotice.Source] {
        guard self.source.timestamp != nil else { return [self.source] }
        var untimed = self.source
        untimed.timestamp = nil
        return [self.source, untimed]
    }

    /// Takes the claim from a letter's headers; nil if the id, the topic, the partition, the offset or the
    /// group is missing.
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
            timestamp: facts.originalTimestamp
        )
    }
}

extension LetterPosition {
    /// The source that an id is made of if the letter has no id that can be accepted: the position of the
    /// letter itself.
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
