import FlotillaRecords
import FlotillaWorkerKit

/// Sends each conversion that was reported to the warehouse too: a copy goes to the topic of `warehouse-worker`.
struct WarehouseChannel: Channel {
    let topic: String

    func record(for record: Record, _ outcome: Outcome) -> ChannelRecord? {
        outcome.fate == "succeeded" ? ChannelRecord(copying: record) : nil
    }
}
