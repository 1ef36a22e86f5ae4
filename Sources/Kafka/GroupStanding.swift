internal import CRdKafka

/// Which member of which generation of its group somebody is: what a transaction shows to have its offsets taken.
///
/// A member that was replaced while it was out of touch shows an old one, and the broker refuses its offsets
/// (KIP-447). It is taken when partitions are assigned and not when they are committed, because a member that has
/// just been expelled has none, and a broker takes offsets without one for those of an old client.
@safe package final class GroupStanding: Sendable {
    nonisolated(unsafe) let metadata: OpaquePointer

    fileprivate init(owning metadata: OpaquePointer) { unsafe self.metadata = metadata }

    deinit { unsafe rd_kafka_consumer_group_metadata_destroy(self.metadata) }
}

extension Consumer {
    /// Where this consumer stands in its group now; nil if it is not a member.
    package var standing: GroupStanding? {
        guard let member = unsafe rd_kafka_memberid(self.client.handle) else { return nil }
        defer { unsafe rd_kafka_mem_free(self.client.handle, member) }
        guard unsafe member.pointee != 0 else { return nil }
        guard let metadata = unsafe rd_kafka_consumer_group_metadata(self.client.handle) else { return nil }
        return unsafe GroupStanding(owning: metadata)
    }
}
