import Records

@testable import WorkerKit

extension Entry {
    /// An entry of the first partition, which never expires.
    static func undated(offset: Int64 = 1, key: [UInt8]? = nil, value: [UInt8]? = nil) -> Entry {
        Entry(
            record: InboundRecord(topic: "work", partition: 0, offset: offset, key: key, value: value),
            assignment: 0,
            offset: offset,
            deadline: .max,
            expiresAt: .max,
            receivedAt: 0
        )
    }
}
