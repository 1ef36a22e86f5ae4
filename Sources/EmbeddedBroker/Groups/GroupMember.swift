/// A protocol (an assignor) that a member can speak, with what it has to say in it.
struct GroupProtocol: Equatable {
    var name: String
    var metadata: [UInt8]
}

/// One member of a group, and the answers it is owed.
final class GroupMember {
    let id: String
    let instanceID: String?
    let clientID: String
    let clientHost: String
    var sessionTimeout: Duration
    var rebalanceTimeout: Duration
    var protocols: [GroupProtocol]
    var assignment: [UInt8] = []
    /// It has not yet been told its id: it cannot send heartbeats.
    var isNew = true
    /// The JoinGroup that waits for the others.
    var joining: ((JoinAnswer) -> Void)?
    /// The SyncGroup that waits for the leader.
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

    func answerJoin(_ answer: JoinAnswer) {
        let joining = self.joining
        self.joining = nil
        joining?(answer)
    }

    func answerSync(_ answer: SyncAnswer) {
        let syncing = self.syncing
        self.syncing = nil
        syncing?(answer)
    }
}

/// What a JoinGroup asks for.
struct JoinRequest {
    var memberID: String
    var instanceID: String?
    var clientID: String
    var clientHost: String
    var sessionTimeout: Duration
    var rebalanceTimeout: Duration
    var protocolType: String
    var protocols: [GroupProtocol]
    /// A new member is first told its id and asked to come again with it, so that it can be found if it does not.
    var comesTwice: Bool
}

/// What a JoinGroup is answered.
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
    /// For the leader only, who assigns.
    var members: [Member] = []

    static func refused(_ error: ErrorCode, _ memberID: String) -> JoinAnswer {
        JoinAnswer(error: error, memberID: memberID)
    }
}

/// What a SyncGroup is answered: an assignment, or why there is none.
enum SyncAnswer {
    case assigned([UInt8])
    case refused(ErrorCode)
}
