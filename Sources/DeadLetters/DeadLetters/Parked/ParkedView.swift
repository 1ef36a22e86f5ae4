package import WorkerKit

/// The parked records of one topic that wait for the same thing.
package struct ParkedView: Hashable, Sendable {
    /// The topic of the parked records, not their parking topic.
    package var topic: String
    /// The condition that the records wait for.
    package var room: WaitingRoom
    /// The number of parked records.
    package var count: Int
    /// The number of partitions that have such records.
    package var partitions: Int
    /// The time of the oldest ticket, in milliseconds since 1970; nil if no ticket has a time.
    package var parkedSince: Int64?
    /// The timestamp of the oldest record, in milliseconds since 1970; nil if no record has one.
    package var oldest: Int64?

    /// The condition in words.
    package var condition: String {
        switch self.room {
        case .endpoint(let name): "endpoint \(name)"
        case .lane(let name): "lane \(name)"
        case .budget(let lane, let reason): "room for dead letters of lane \(lane), reason \(reason)"
        case .any: "room in a worker, or an earlier record of the same key"
        }
    }
}

/// All parked records of a cluster.
package struct ParkedList: Hashable, Sendable {
    /// The parked records by topic and by what they wait for; of each topic, most records first.
    package var views: [ParkedView]
    /// The number of tickets that a mirror has copied from another cluster or topic. No worker reads them.
    package var foreign: Int
    /// Whether there are more tickets than one look keeps in memory, so that the numbers are too small.
    package var isCut: Bool

    /// The number of parked records.
    package var count: Int { self.views.reduce(0) { $0 + $1.count } }

    /// Sentences about numbers that are too small, and about tickets that no worker reads.
    package var notes: [String] {
        (self.isCut ? ["There are more parked records than one look can count."] : [])
            + (self.foreign > 0
                ? ["Tickets of another cluster or topic, which no worker reads: \(self.foreign)."] : [])
    }
}
