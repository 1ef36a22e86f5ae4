import Kafka

@testable import EmbeddedBroker

extension RawClient {
    /// Where the next record goes.
    func endOffset(_ topic: String, _ partition: Int32) throws -> Int64 {
        try self.offset(topic, partition, at: -1)
    }

    /// The first offset that is not older, or an end of the log: -1 is the newest, -2 the oldest.
    func offset(
        _ topic: String,
        _ partition: Int32,
        at timestamp: Int64,
        _ isolation: Isolation = .readUncommitted
    ) throws -> Int64 {
        var reader = try self.call(.listOffsets, 2) { writer in
            writer.integer(Int32(-1))
            writer.integer(isolation.rawValue)
            writer.topics([TopicEntries(topic: topic, entries: [partition])]) { writer, partition in
                writer.integer(partition)
                writer.integer(timestamp)
            }
        }
        _ = try reader.int32()
        let topics = try reader.topics { (reader) throws(Malformed) in
            _ = (try reader.int32(), try reader.int16(), try reader.int64())
            return try reader.int64()
        }
        return topics[0].entries[0]
    }

    func committedOffset(
        _ group: String,
        _ topic: String,
        _ partition: Int32,
        mustBeStable: Bool
    ) throws -> (offset: Int64, error: ErrorCode?) {
        var reader = try self.call(.offsetFetch, 7) { writer in
            writer.string(group)
            writer.array([topic]) { writer, topic in
                writer.string(topic)
                writer.array([partition]) { $0.integer($1) }
                writer.endStructure()
            }
            writer.boolean(mustBeStable)
            writer.endStructure()
        }
        _ = try reader.int32()
        let topics = try reader.topics { (reader) throws(Malformed) in
            _ = try reader.int32()
            let offset = try reader.int64()
            _ = (try reader.int32(), try reader.nullableString())
            let error = ErrorCode(rawValue: try reader.int16())
            try reader.endStructure()
            return (offset, error)
        }
        return topics[0].entries[0]
    }
}

/// A member of a group that says exactly what a test has it say.
final class RawMember {
    let client: RawClient
    let group: String
    let instance: String?
    var id = ""
    var generation: Int32 = -1
    private(set) var isLeader = false
    private(set) var others: [String] = []
    var sessionTimeout: Int32 = 30_000
    var rebalanceTimeout: Int32 = 30_000

    init(_ broker: EmbeddedBroker, group: String, instance: String? = nil) throws {
        self.client = try RawClient(broker)
        self.group = group
        self.instance = instance
    }

    func askToJoin(_ protocols: [String] = ["range"]) {
        self.client.ask(.joinGroup, 5) { writer in
            writer.string(self.group)
            writer.integer(self.sessionTimeout)
            writer.integer(self.rebalanceTimeout)
            writer.string(self.id)
            writer.string(self.instance)
            writer.string("consumer")
            writer.array(protocols) { writer, name in
                writer.string(name)
                writer.bytes([1, 2, 3])
            }
        }
    }

    func joined() throws -> ErrorCode? {
        var reader = try self.client.answer(.joinGroup, 5)
        _ = try reader.int32()
        let error = ErrorCode(rawValue: try reader.int16())
        self.generation = try reader.int32()
        _ = try reader.string()
        let leader = try reader.string()
        self.id = try reader.string()
        self.isLeader = leader == self.id
        self.others = try reader.array { (reader) throws(Malformed) in
            let id = try reader.string()
            _ = (try reader.nullableString(), try reader.bytes())
            return id
        }
        return error
    }

    /// Joins as a client does: a first time for the id, and a second time with it.
    func join() throws -> ErrorCode? {
        self.askToJoin()
        let error = try self.joined()
        guard error == .memberIDRequired else { return error }
        self.askToJoin()
        return try self.joined()
    }

    func askToSync(_ assignments: [String: [UInt8]] = [:]) {
        self.client.ask(.syncGroup, 3) { writer in
            writer.string(self.group)
            writer.integer(self.generation)
            writer.string(self.id)
            writer.string(self.instance)
            writer.array(assignments.sorted { $0.key < $1.key }) { writer, assignment in
                writer.string(assignment.key)
                writer.bytes(assignment.value)
            }
        }
    }

    func synced() throws -> (error: ErrorCode?, assignment: [UInt8]) {
        var reader = try self.client.answer(.syncGroup, 3)
        _ = try reader.int32()
        return (ErrorCode(rawValue: try reader.int16()), try reader.bytes())
    }

    func sync(_ assignments: [String: [UInt8]] = [:]) throws -> (error: ErrorCode?, assignment: [UInt8]) {
        self.askToSync(assignments)
        return try self.synced()
    }

    func leave() throws -> ErrorCode? {
        var reader = try self.client.call(.leaveGroup, 1) { writer in
            writer.string(self.group)
            writer.string(self.id)
        }
        _ = try reader.int32()
        return ErrorCode(rawValue: try reader.int16())
    }

    func heartbeat() throws -> ErrorCode? {
        var reader = try self.client.call(.heartbeat, 3) { writer in
            writer.string(self.group)
            writer.integer(self.generation)
            writer.string(self.id)
            writer.string(self.instance)
        }
        _ = try reader.int32()
        return ErrorCode(rawValue: try reader.int16())
    }

    func commit(_ topic: String, _ offset: Int64, metadata: String = "") throws -> ErrorCode? {
        var reader = try self.client.call(.offsetCommit, 7) { writer in
            writer.string(self.group)
            writer.integer(self.generation)
            writer.string(self.id)
            writer.string(self.instance)
            writer.topics([TopicEntries(topic: topic, entries: [Int32(0)])]) { writer, partition in
                writer.integer(partition)
                writer.integer(offset)
                writer.integer(Int32(-1))
                writer.string(metadata)
            }
        }
        _ = try reader.int32()
        let topics = try reader.topics { (reader) throws(Malformed) in
            _ = try reader.int32()
            return ErrorCode(rawValue: try reader.int16())
        }
        return topics[0].entries[0]
    }
}

/// The position that a group has committed in the first partition of a topic, with its metadata, as our own client
/// reads it.
func committed(_ topic: String, by group: String, _ broker: EmbeddedBroker) throws -> [String] {
    let consumer = try Consumer(["bootstrap.servers": broker.address, "group.id": group])
    return try consumer.committed([Kafka.TopicPartition(topic: topic, partition: 0)], atMost: .seconds(10))
        .map {
            "\($0.offset ?? -1) \($0.metadata)"
        }
}

extension RawClient {
    /// The number that the next answer carries.
    func correlation(of api: API) throws -> Int32 {
        let length = try self.read(4).reduce(0) { $0 << 8 | Int($1) }
        return try self.read(length).prefix(4).reduce(0) { $0 << 8 | Int32($1) }
    }

    func settings(of topic: String) throws -> [String: String] {
        var reader = try self.call(.describeConfigs, 1) { writer in
            writer.array([topic]) { writer, topic in
                writer.integer(Int8(2))
                writer.string(topic)
                writer.nullArray()
            }
            writer.boolean(false)
        }
        _ = try reader.int32()
        let resources = try reader.array { (reader) throws(Malformed) in
            _ = (try reader.int16(), try reader.nullableString(), try reader.int8(), try reader.string())
            return try reader.array { (reader) throws(Malformed) in
                let setting = (try reader.string(), try reader.nullableString() ?? "")
                _ = (try reader.int8(), try reader.int8(), try reader.int8(), try reader.int32())
                return setting
            }
        }
        return Dictionary(resources.joined()) { $1 }
    }

    func deleteRecords(of topic: String, before offset: Int64) throws -> (
        startOffset: Int64, error: ErrorCode?
    ) {
        var reader = try self.call(.deleteRecords, 1) { writer in
            writer.topics([TopicEntries(topic: topic, entries: [Int32(0)])]) { writer, partition in
                writer.integer(partition)
                writer.integer(offset)
            }
            writer.integer(Int32(1_000))
        }
        _ = try reader.int32()
        let topics = try reader.topics { (reader) throws(Malformed) in
            _ = try reader.int32()
            return (try reader.int64(), ErrorCode(rawValue: try reader.int16()))
        }
        return topics[0].entries[0]
    }
}

extension RawClient {
    /// Each group's name and protocol type.
    func groups() throws -> [String: String] {
        var reader = try self.call(.listGroups, 2) { _ in }
        _ = (try reader.int32(), try reader.int16())
        let groups = try reader.array { (reader) throws(Malformed) in
            (try reader.string(), try reader.string())
        }
        return Dictionary(groups) { $1 }
    }

    /// A group's state, and what each member has been assigned.
    func describe(_ group: String) throws -> (state: String, assignments: [String: [UInt8]]) {
        var reader = try self.call(.describeGroups, 4) { writer in
            writer.array([group]) { $0.string($1) }
            writer.boolean(false)
        }
        _ = try reader.int32()
        let groups = try reader.array { (reader) throws(Malformed) in
            _ = (try reader.int16(), try reader.string())
            let state = try reader.string()
            _ = (try reader.string(), try reader.string())
            let members = try reader.array { (reader) throws(Malformed) in
                let id = try reader.string()
                _ = (
                    try reader.nullableString(), try reader.string(), try reader.string(), try reader.bytes()
                )
                return (id, try reader.bytes())
            }
            _ = try reader.int32()
            return (state: state, assignments: Dictionary(members) { $1 })
        }
        return groups[0]
    }

    func delete(_ group: String) throws -> ErrorCode? {
        var reader = try self.call(.deleteGroups, 1) { writer in writer.array([group]) { $0.string($1) } }
        _ = try reader.int32()
        return try reader.array { (reader) throws(Malformed) in
            _ = try reader.string()
            return ErrorCode(rawValue: try reader.int16())
        }[0]
    }

    /// Everything that a group has committed.
    func committedOffsets(_ group: String) throws -> [String: [Int64]] {
        var reader = try self.call(.offsetFetch, 7) { writer in
            writer.string(group)
            writer.nullArray()
            writer.boolean(false)
            writer.endStructure()
        }
        _ = try reader.int32()
        let topics = try reader.topics { (reader) throws(Malformed) in
            _ = try reader.int32()
            let offset = try reader.int64()
            _ = (try reader.int32(), try reader.nullableString(), try reader.int16())
            try reader.endStructure()
            return offset
        }
        return Dictionary(topics.map { ($0.topic, $0.entries) }) { $1 }
    }
}
