/// A protocol (an assignor) that a member supports, with the member's metadata for it.
struct GroupProtocol: Equatable {
    var name: String
    var metadata: [UInt8]
}

/// One member of a group, with the responses that the broker holds back for it.
final class GroupMember {
    let id: String
    let instanceID: String?
    let clientID: String
    let clientHost: String
    var sessionTimeout: Duration
    var rebalanceTimeout: Duration
    var protocols: [GroupProtocol]
    var assignment: [UInt8] = []
    /// Whether the member has not received its member id yet. Without the id it cannot send heartbeats.
    var isNew = true
    /// The response to a JoinGroup request that is held until all members have joined.
    var joining: ((JoinAnswer) -> Void)?
    /// The response to a SyncGroup request that is held until the leader has assigned.
    var syncing: ((SyncAnswer) -> Void)?
    var session: Timer?

    init(id: String, _ request: JoinRequest) {
        self.id = id
        self.instanceID = request.instanceID
        self.clientID = request.clientID
        self.clientHost = request.clientHost
        self.sessionTimeout = request.sessionTimeout
        self.rebalanceTimeout = request.rebalanceTimeout
        self.protocols = request.protocols
    }

    func update(_ request: JoinRequest) {
        self.sessionTimeout = request.sessionTimeout
        self.rebalanceTimeout = request.rebalanceTimeout
        self.protocols = request.protocols
    }

    func metadata(for name: String) -> [UInt8] { self.protocols.first { $0.name == name }?.metadata ?? [] }

    /// Gives the held JoinGroup response, if there is one.
    func answerJoin(_ answer: JoinAnswer) {
        let joining = self.joining
        self.joining = nil
        joining?(answer)
    }

    /// Gives the held SyncGroup response, if there is one.
    func answerSync(_ answer: SyncAnswer) {
        let syncing = self.syncing
        self.syncing = nil
        syncing?(answer)
    }
}

/// The contents of a JoinGroup request.
struct JoinRequest {
    var memberID: String
    var instanceID: String?
    var clientID: String
    var clientHost: String
    var sessionTimeout: Duration
    var rebalanceTimeout: Duration
    var protocolType: String
    var protocols: [GroupProtocol]
    /// Whether a new member first only receives its member id and must join again with it (JoinGroup version
    /// 4 and later). The broker can then recognise a member that does not return.
    var comesTwice: Bool
}

/// The contents of a JoinGroup response.
struct JoinAnswer {
    struct Member {
        var id: String
        var instanceID: String?
        var metadata: [UInt8]
    }

    var error = ErrorCode.none
    var generation: Int32 = -1
    var protocolName = ""
    var leader = ""
    var memberID: String
    /// All members, for the leader, which computes the assignment. Empty for the others.
    var members: [Member] = []

    static func refused(_ error: ErrorCode, _ memberID: String) -> JoinAnswer {
        JoinAnswer(error: error, memberID: memberID)
    }
}

/// The contents of a SyncGroup response: an assignment, or the error.
enum SyncAnswer {
    case assigned([UInt8])
    case refused(ErrorCode)
}
