/// A consumer group: who is in it, what it has agreed on, and what it has committed.
///
/// The classic protocol, from Kafka's `GroupCoordinator` and `GroupMetadata`, 3.x. Joining is in
/// `Group+Join.swift`, the rebalance in `Group+Rebalance.swift`.
final class Group {
    enum State: String {
        case empty = "Empty"
        /// Members are asked to join again, and their requests are held until all have.
        case preparingRebalance = "PreparingRebalance"
        /// All have joined, and wait for what the leader assigns.
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
    /// Those that were told their id and have not come back with it.
    var expected: [String: Timer] = [:]
    /// Those that have not fetched their assignment of this generation.
    var unsynced: Set<String> = []
    var joinTimer: Timer?
    var syncTimer: Timer?
    /// Set while the first rebalance of an empty group waits for more members.
    var gathering: Gathering?
    var offsets = GroupOffsets()
    private var memberCount = 0

    struct Gathering {
        var timeLeft: Duration
        var hasGrown = false
    }

    init(_ id: String, timers: Timers, settings: BrokerSettings) {
        self.id = id
        self.timers = timers
        self.settings = settings
    }

    func member(_ id: String) -> GroupMember? { self.members.first { $0.id == id } }

    func member(instance: String) -> GroupMember? { self.members.first { $0.instanceID == instance } }

    /// The longest that any member asks for.
    var rebalanceTimeout: Duration { self.members.map(\.rebalanceTimeout).max() ?? .zero }

    /// Kafka makes a UUID of it. Numbered here, so that in a run that is repeated the members sort in the same
    /// order; random as well, so that nobody's id outlives the broker.
    func newMemberID(_ prefix: String) -> String {
        self.memberCount += 1
        let number = String(self.memberCount)
        let padding = String(repeating: "0", count: max(0, 6 - number.count))
        // A client's name may be as long as a string can be; with the rest it would be no string of Kafka's.
        let prefix = String(prefix.unicodeScalars.prefix(255))
        return "\(prefix)-\(padding)\(number)-\(String(UInt64.random(in: 0 ... .max), radix: 16))"
    }

    // MARK: Heartbeats and leaving

    func heartbeat(_ memberID: String, instance: String?, generation: Int32) -> ErrorCode? {
        switch self.find(memberID, instance: instance) {
        case .failure(let error): return error
        case .success(let member):
            guard generation == self.generation else { return .illegalGeneration }
            self.restartSession(of: member)
            return self.state == .preparingRebalance ? .rebalanceInProgress : nil
        }
    }

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

    /// The member that a request names, unless it is none, or one that a newer instance has replaced.
    func find(_ memberID: String, instance: String?) -> Result<GroupMember, ErrorCode> {
        if let instance {
            guard let member = self.member(instance: instance) else { return .failure(.unknownMemberID) }
            return member.id == memberID ? .success(member) : .failure(.fencedInstanceID)
        }
        guard let member = self.member(memberID) else { return .failure(.unknownMemberID) }
        return .success(member)
    }

    // MARK: Sessions

    func restartSession(of member: GroupMember, _ timeout: Duration? = nil) {
        member.session?.cancel()
        member.session = self.timers.after(timeout ?? member.sessionTimeout) { [weak self, weak member] in
            guard let self, let member else { return }
            self.sessionExpired(member)
        }
    }

    private func sessionExpired(_ member: GroupMember) {
        guard self.member(member.id) === member else { return }
        // It waits for an answer of ours, and its connection takes no heartbeat meanwhile.
        let isWaiting = member.joining != nil || member.syncing != nil
        if member.isNew || !isWaiting { self.expel(member) }
    }

    /// Takes a member out, and has the others share what it had.
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

    func remove(_ member: GroupMember) {
        member.session?.cancel()
        self.members.removeAll { $0 === member }
        self.unsynced.remove(member.id)
        if self.leader == member.id { self.leader = self.members.first?.id }
    }

    // MARK: Commits

    /// Why a commit is refused, if it is.
    ///
    /// A member that has been asked to join again may still commit what it has done so far; one that has joined
    /// and not yet been assigned has nothing to commit.
    func refusal(ofCommitBy memberID: String, instance: String?, generation: Int32) -> ErrorCode? {
        if let error = self.stranger(memberID, instance: instance, generation: generation) { return error }
        if self.state == .completingRebalance { return .rebalanceInProgress }
        if let member = self.member(memberID) { self.restartSession(of: member) }
        return nil
    }

    /// The same for offsets in a transaction, which name a member since KIP-447.
    func refusal(
        ofTransactionalCommitBy memberID: String,
        instance: String?,
        generation: Int32
    ) -> ErrorCode? {
        if generation < 0, memberID.isEmpty, instance == nil { return nil }
        return self.stranger(memberID, instance: instance, generation: generation)
    }

    private func stranger(_ memberID: String, instance: String?, generation: Int32) -> ErrorCode? {
        // Whoever commits without being a member may do so as long as nobody else is.
        if generation < 0, self.state == .empty { return nil }
        if case .failure(let error) = self.find(memberID, instance: instance) { return error }
        return generation == self.generation ? nil : .illegalGeneration
    }

    // MARK: The coordinator's moves

    /// The group is somebody else's for a while: whoever waits is sent there, and nobody's session runs out.
    func coordinatorLeft() {
        for member in self.members {
            member.session?.cancel()
            member.answerSync(.refused(.notCoordinator))
            guard member.joining != nil else { continue }
            member.answerJoin(.refused(.notCoordinator, member.id))
            // Nobody knows the id that it was to get.
            if member.isNew { self.remove(member) }
        }
    }

    func coordinatorCameBack() {
        for member in self.members { self.restartSession(of: member) }
        if self.state == .preparingRebalance { self.completeJoinIfAllAreHere() }
    }
}
