internal import CRdKafka

/// The member id and generation of a consumer in its group, which a transaction must present for its offsets
/// to be accepted.
///
/// The broker refuses the offsets of a member that was replaced while it was out of touch, because that
/// member presents an old generation (KIP-447). The value is taken when partitions are assigned and not when
/// offsets are committed: a member that has just been expelled has no generation, and a broker accepts
/// offsets without one, as those of an old client.
@safe package final class GroupStanding: Sendable {
    nonisolated(unsafe) let metadata: OpaquePointer

    fileprivate init(owning metadata: OpaquePointer) { unsafe self.metadata = metadata }

    deinit { unsafe rd_kafka_consumer_group_metadata_destroy(self.metadata) }
}

extension Consumer {
    /// The consumer's member id and generation at this moment; nil if it is not a member of its group.
    package var standing: GroupStanding? {
        guard let member = unsafe rd_kafka_memberid(self.client.handle) else { return nil }
        defer { unsafe rd_kafka_mem_free(self.client.handle, member) }
        guard unsafe member.pointee != 0 else { return nil }
        guard let metadata = unsafe rd_kafka_consumer_group_metadata(self.client.handle) else { return nil }
        return unsafe GroupStanding(owning: metadata)
    }
}
