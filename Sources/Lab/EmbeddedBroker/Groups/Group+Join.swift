extension Group {
    /// The session timeout of a member that has not received its member id yet. From Kafka's
    /// `NewMemberJoinTimeoutMs`.
    private static let newMemberTimeout = Duration.seconds(300)

    /// Handles a JoinGroup request. The answer may be given long after this method has returned.
    func join(_ request: JoinRequest, _ answer: @escaping (JoinAnswer) -> Void) {
        guard self.speaks(request) else {
            answer(.refused(.inconsistentGroupProtocol, request.memberID))
            return
        }
        if request.memberID.isEmpty {
            self.joinNew(request, answer)
        } else {
            self.joinAgain(request, answer)
        }
        self.completeJoinIfAllAreHere()
    }

    /// Whether the member has the group's protocol type, and at least one protocol that all other members
    /// support. The first member of a group only needs to name a type and a protocol.
    private func speaks(_ request: JoinRequest) -> Bool {
        guard !self.members.isEmpty else {
            return !request.protocolType.isEmpty && !request.protocols.isEmpty
        }
        return request.protocolType == self.protocolType
            && request.protocols.contains { offered in
                self.members.allSatisfy { $0.protocols.contains { $0.name == offered.name } }
            }
    }

    private func joinNew(_ request: JoinRequest, _ answer: @escaping (JoinAnswer) -> Void) {
        if let instance = request.instanceID, let old = self.member(instance: instance) {
            self.replace(old, by: GroupMember(id: self.newMemberID(instance), request), answer)
            return
        }
        guard self.members.count + self.expected.count < BrokerSettings.groupSizeLimit else {
            answer(.refused(.groupMaxSizeReached, ""))
            return
        }
        let id = self.newMemberID(request.instanceID ?? request.clientID)
        if request.comesTwice, request.instanceID == nil {
            self.expected[id] = self.timers.after(request.sessionTimeout) { [weak self] in
                self?.expected[id] = nil
                self?.completeJoinIfAllAreHere()
            }
            answer(.refused(.memberIDRequired, id))
        } else {
            self.add(GroupMember(id: id, request), request, answer: answer)
        }
    }

    private func joinAgain(_ request: JoinRequest, _ answer: @escaping (JoinAnswer) -> Void) {
        if request.instanceID == nil, let timer = self.expected.removeValue(forKey: request.memberID) {
            timer.cancel()
            self.add(GroupMember(id: request.memberID, request), request, answer: answer)
            return
        }
        switch self.find(request.memberID, instance: request.instanceID) {
        case .failure(let error): answer(.refused(error, request.memberID))
        case .success(let member):
            let isUnchanged = member.protocols == request.protocols
            switch self.state {
            case .completingRebalance where isUnchanged,
                .stable where isUnchanged && member.id != self.leader:
                // The member has missed the response to its join of this generation, so the response is
                // repeated.
                answer(self.joinAnswer(for: member))
            case .empty: answer(.refused(.unknownMemberID, request.memberID))
            case .preparingRebalance, .completingRebalance, .stable:
                member.update(request)
                self.await(member, answer)
                if self.state != .preparingRebalance { self.prepareRebalance() }
            }
        }
    }

    private func add(_ member: GroupMember, _ request: JoinRequest, answer: @escaping (JoinAnswer) -> Void) {
        if self.members.isEmpty { self.protocolType = request.protocolType }
        self.members.append(member)
        if self.leader == nil { self.leader = member.id }
        if self.generation == 0 { self.gathering?.hasGrown = true }
        self.restartSession(of: member, Self.newMemberTimeout)
        self.await(member, answer)
        if self.state != .preparingRebalance { self.prepareRebalance() }
    }

    /// Replaces a static member that has come back under a new member id.
    ///
    /// If the group is stable and its chosen protocol stays the same, no rebalance is needed.
    private func replace(_ old: GroupMember, by new: GroupMember, _ answer: @escaping (JoinAnswer) -> Void) {
        old.answerJoin(.refused(.fencedInstanceID, old.id))
        old.answerSync(.refused(.fencedInstanceID))
        old.session?.cancel()
        let leader = self.leader
        if leader == old.id { self.leader = new.id }
        if self.unsynced.remove(old.id) != nil { self.unsynced.insert(new.id) }
        new.assignment = old.assignment
        new.isNew = false
        self.members = self.members.map { $0 === old ? new : $0 }
        self.restartSession(of: new)
        if self.state == .stable, self.protocolName == self.chosenProtocol() {
            // The response names the previous leader, so that the new member does not compute an assignment
            // that is not used.
            answer(self.joinAnswer(for: new, leader: leader))
            return
        }
        self.await(new, answer)
        if self.state != .preparingRebalance { self.prepareRebalance() }
    }

    /// Holds the response until the join is complete. An earlier response that is still held belongs to a
    /// lost connection and is refused.
    private func await(_ member: GroupMember, _ answer: @escaping (JoinAnswer) -> Void) {
        member.answerJoin(.refused(.rebalanceInProgress, member.id))
        member.joining = answer
    }

    /// Makes the JoinGroup response for a member. Only the leader receives the list of members.
    func joinAnswer(for member: GroupMember, leader: String? = nil) -> JoinAnswer {
        let leader = leader ?? self.leader ?? ""
        let name = self.protocolName ?? ""
        let isLeader = leader == member.id
        return JoinAnswer(
            generation: self.generation,
            protocolName: name,
            leader: leader,
            memberID: member.id,
            members: !isLeader
                ? []
                : self.members.map {
                    JoinAnswer.Member(id: $0.id, instanceID: $0.instanceID, metadata: $0.metadata(for: name))
                }
        )
    }

    /// The protocol that all members support and that most of them prefer; nil if the group is empty or has
    /// no protocol in common.
    func chosenProtocol() -> String? {
        guard let first = self.members.first(where: { $0.id == self.leader }) ?? self.members.first else {
            return nil
        }
        let common = first.protocols.map(\.name).filter { name in
            self.members.allSatisfy { $0.protocols.contains { $0.name == name } }
        }
        let votes = self.members.compactMap { member in
            member.protocols.first { common.contains($0.name) }?.name
        }
        // If two protocols have equally many votes, the leader's order of preference decides.
        let counts = common.map { name in votes.count { $0 == name } }
        return zip(common, counts).first { $0.1 == counts.max() }?.0
    }
}
