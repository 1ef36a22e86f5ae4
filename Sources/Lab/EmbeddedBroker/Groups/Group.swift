/// The state of one consumer group: its members, the protocol and generation that they agreed on, and its
/// committed offsets.
///
/// The group follows the classic rebalance protocol of Kafka 3.x (`GroupCoordinator`, `GroupMetadata`).
/// Joining is in `Group+Join.swift`, the rebalance in `Group+Rebalance.swift`.
final class Group {
    /// The state of a group. The raw value is the name that DescribeGroups reports.
    enum State: String {
        case empty = "Empty"
        /// All members are asked to join again. Their requests are held until all have joined.
        case preparingRebalance = "PreparingRebalance"
        /// All members have joined, and wait for the leader's assignment.
        case completingRebalance = "CompletingRebalance"
        case stable = "Stable"
    }

    let id: String
    let timers: Timers
    let settings: BrokerSettings
    var state = State.empty
    var generation: Int32 = 0
    var protocolType: String?
    var protocolName: String?
    var leader: String?
    var members: [GroupMember] = []
    /// Member ids that were given to new members which have not joined with them yet. Each timer ends the
    /// wait after the session timeout.
    var expected: [String: Timer] = [:]
    /// Members that have not fetched their assignment of this generation.
    var unsynced: Set<String> = []
    var joinTimer: Timer?
    var syncTimer: Timer?
    /// The wait for more members during the first rebalance of an empty group; nil at all other times.
    var gathering: Gathering?
    var offsets = GroupOffsets()
    private var memberCount = 0

    /// The wait for more members before an empty group's first assignment.
    struct Gathering {
        /// How much longer the wait may be extended.
        var timeLeft: Duration
        /// Whether a member has joined since the wait began. The wait is then extended once more.
        var hasGrown = false
    }

    init(_ id: String, timers: Timers, settings: BrokerSettings) {
        self.id = id
        self.timers = timers
        self.settings = settings
    }

    func member(_ id: String) -> GroupMember? { self.members.first { $0.id == id } }

    func member(instance: String) -> GroupMember? { self.members.first { $0.instanceID == instance } }

    /// The longest rebalance timeout that any member requests.
    var rebalanceTimeout: Duration { self.members.map(\.rebalanceTimeout).max() ?? .zero }

    /// Makes a member id.
    ///
    /// Kafka appends a UUID. This broker appends a number, so that members sort in the same order when a run
    /// is repeated, and a random part, so that no member id stays valid after a restart of the broker.
    func newMemberID(_ prefix: String) -> String {
        self.memberCount += 1
        let number = String(self.memberCount)
        let padding = String(repeating: "0", count: max(0, 6 - number.count))
        // A client id may be as long as a Kafka string can be. It is cut, because the member id made of it
        // must fit into a Kafka string, too.
        let prefix = String(prefix.unicodeScalars.prefix(255))
        return "\(prefix)-\(padding)\(number)-\(String(UInt64.random(in: 0 ... .max), radix: 16))"
    }

    // MARK: Heartbeats and leaving

    /// Restarts the member's session.
    ///
    /// - Returns: the error to respond with; `rebalanceInProgress` asks the member to join again.
    func heartbeat(_ memberID: String, instance: String?, generation: Int32) -> ErrorCode? {
        switch self.find(memberID, instance: instance) {
        case .failure(let error): return error
        case .success(let member):
            guard generation == self.generation else { return .illegalGeneration }
            self.restartSession(of: member)
            return self.state == .preparingRebalance ? .rebalanceInProgress : nil
        }
    }

    /// Removes a member that leaves the group, or gives up waiting for a new member.
    func leave(_ memberID: String) -> ErrorCode? {
        if let timer = self.expected.removeValue(forKey: memberID) {
            timer.cancel()
            self.completeJoinIfAllAreHere()
            return nil
        }
        guard let member = self.member(memberID) else { return .unknownMemberID }
        self.expel(member)
        return nil
    }

    /// The member that a request names.
    ///
    /// - Returns: `unknownMemberID` if the group has no such member, or `fencedInstanceID` if a newer member
    ///   with the same `group.instance.id` has replaced it.
    func find(_ memberID: String, instance: String?) -> Result<GroupMember, ErrorCode> {
        if let instance {
            guard let member = self.member(instance: instance) else { return .failure(.unknownMemberID) }
            return member.id == memberID ? .success(member) : .failure(.fencedInstanceID)
        }
        guard let member = self.member(memberID) else { return .failure(.unknownMemberID) }
        return .success(member)
    }

    // MARK: Sessions

    /// Starts the member's session timeout anew. The member is expelled when it expires.
    func restartSession(of member: GroupMember, _ timeout: Duration? = nil) {
        member.session?.cancel()
        member.session = self.timers.after(timeout ?? member.sessionTimeout) { [weak self, weak member] in
            guard let self, let member else { return }
            self.sessionExpired(member)
        }
    }

    private func sessionExpired(_ member: GroupMember) {
        guard self.member(member.id) === member else { return }
        // A member that waits for a response cannot send heartbeats on that connection, so its session does
        // not count.
        let isWaiting = member.joining != nil || member.syncing != nil
        if member.isNew || !isWaiting { self.expel(member) }
    }

    /// Removes a member, and starts a rebalance so that the others take over its partitions.
    private func expel(_ member: GroupMember) {
        member.answerJoin(.refused(.unknownMemberID, member.id))
        member.answerSync(.refused(.unknownMemberID))
        self.remove(member)
        switch self.state {
        case .empty: break
        case .stable, .completingRebalance: self.prepareRebalance()
        case .preparingRebalance: self.completeJoinIfAllAreHere()
        }
    }

    /// Removes a member without a rebalance. If it was the leader, the next member becomes leader.
    func remove(_ member: GroupMember) {
        member.session?.cancel()
        self.members.removeAll { $0 === member }
        self.unsynced.remove(member.id)
        if self.leader == member.id { self.leader = self.members.first?.id }
    }

    // MARK: Commits

    /// The error with which an offset commit is refused, or nil if it is accepted.
    ///
    /// A member that has been asked to join again may still commit the offsets of finished work. A member
    /// that has joined and has no assignment yet has nothing to commit and is refused.
    func refusal(ofCommitBy memberID: String, instance: String?, generation: Int32) -> ErrorCode? {
        if let error = self.stranger(memberID, instance: instance, generation: generation) { return error }
        if self.state == .completingRebalance { return .rebalanceInProgress }
        if let member = self.member(memberID) { self.restartSession(of: member) }
        return nil
    }

    /// The error with which a commit of offsets in a transaction is refused, or nil. Such a commit names the
    /// member since KIP-447; older clients send no member.
    func refusal(
        ofTransactionalCommitBy memberID: String,
        instance: String?,
        generation: Int32
    ) -> ErrorCode? {
        if generation < 0, memberID.isEmpty, instance == nil { return nil }
        return self.stranger(memberID, instance: instance, generation: generation)
    }

    private func stranger(_ memberID: String, instance: String?, generation: Int32) -> ErrorCode? {
        // A client that is not a member (negative generation) may commit as long as the group has no members.
        if generation < 0, self.state == .empty { return nil }
        if case .failure(let error) = self.find(memberID, instance: instance) { return error }
        return generation == self.generation ? nil : .illegalGeneration
    }

    // MARK: The coordinator's moves

    /// Ends all waits with NOT_COORDINATOR and stops all sessions, because the group's coordinator has moved
    /// to another broker.
    func coordinatorLeft() {
        for member in self.members {
            member.session?.cancel()
            member.answerSync(.refused(.notCoordinator))
            guard member.joining != nil else { continue }
            member.answerJoin(.refused(.notCoordinator, member.id))
            // The join of a new member was not answered, so no client knows this member id.
            if member.isNew { self.remove(member) }
        }
    }

    /// Restarts all sessions, because this broker is the group's coordinator again.
    func coordinatorCameBack() {
        for member in self.members { self.restartSession(of: member) }
        if self.state == .preparingRebalance { self.completeJoinIfAllAreHere() }
    }
}
