/// The requests that this broker answers, with the versions that it supports.
///
/// The newest versions are the ones that librdkafka 2.0.2 selects; newer clients fall back to them. Keys and
/// versions are from the message definitions of Apache Kafka (`clients/src/main/resources/common/message`).
enum API: Int16, CaseIterable {
    case produce = 0
    case fetch = 1
    case listOffsets = 2
    case metadata = 3
    case offsetCommit = 8
    case offsetFetch = 9
    case findCoordinator = 10
    case joinGroup = 11
    case heartbeat = 12
    case leaveGroup = 13
    case syncGroup = 14
    case describeGroups = 15
    case listGroups = 16
    case saslHandshake = 17
    case apiVersions = 18
    case createTopics = 19
    case deleteTopics = 20
    case deleteRecords = 21
    case initProducerID = 22
    case addPartitionsToTransaction = 24
    case addOffsetsToTransaction = 25
    case endTransaction = 26
    case transactionalOffsetCommit = 28
    case describeConfigs = 32
    case alterConfigs = 33
    case saslAuthenticate = 36
    case createPartitions = 37
    case deleteGroups = 42

    /// The versions that the broker reports to clients.
    var advertised: ClosedRange<Int16> {
        switch self {
        // librdkafka compresses batches only if the range contains version 0. Kafka 4 reports 0 for that
        // reason as well, although it supports only version 3 and later.
        case .produce: 0...7
        // librdkafka takes a broker without version 0 for one that has no handshake, and then uses version 1.
        case .saslHandshake: 0...1
        default: self.versions
        }
    }

    /// The versions that the broker supports.
    var versions: ClosedRange<Int16> {
        switch self {
        case .produce: 3...7
        case .fetch: 4...11
        case .listOffsets: 1...5
        case .metadata: 1...4
        case .offsetCommit: 2...7
        case .offsetFetch: 1...7
        case .findCoordinator: 0...2
        case .joinGroup: 0...5
        case .heartbeat, .syncGroup: 0...3
        case .leaveGroup: 0...1
        case .describeGroups: 0...4
        case .listGroups: 0...2
        // Before version 1, the messages of SASL follow without a header.
        case .saslHandshake: 1...1
        case .saslAuthenticate: 0...1
        case .apiVersions: 0...3
        case .createTopics: 2...4
        case .deleteTopics, .deleteRecords, .deleteGroups, .endTransaction: 0...1
        case .initProducerID: 0...4
        case .addPartitionsToTransaction, .addOffsetsToTransaction, .alterConfigs, .createPartitions: 0...0
        case .transactionalOffsetCommit: 0...3
        case .describeConfigs: 1...1
        }
    }

    /// Whether this version of the request uses the compact encodings and tagged fields of KIP-482.
    func isFlexible(_ version: Int16) -> Bool {
        switch self {
        case .apiVersions, .transactionalOffsetCommit: version >= 3
        case .offsetFetch: version >= 6
        case .initProducerID: version >= 2
        default: false
        }
    }
}
