extension Group {
    /// How long a member waits that does not know its id yet. From Kafka's `NewMemberJoinTimeoutMs`.
    private static let newMemberTimeout = Duration.seconds(300)

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

    /// Whether there is a protocol that this member and all others speak.
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
            self.add(GroupMember(id: id, request), request, answer)
        }
    }

    private func joinAgain(_ request: JoinRequest, _ answer: @escaping (JoinAnswer) -> Void) {
        if request.instanceID == nil, let timer = self.expected.removeValue(forKey: request.memberID) {
            timer.cancel()
            self.add(GroupMember(id: request.memberID, request), request, answer)
            return
        }
        switch self.find(request.memberID, instance: request.instanceID) {
        case .failure(let error): answer(.refused(error, request.memberID))
        case .success(let member):
            let isUnchanged = member.protocols == request.protocols
            switch self.state {
            case .completingRebalance where isUnchanged,
                .stable where isUnchanged && member.id != self.leader:
                // It has missed the answer of this generation's join.
                answer(self.joinAnswer(for: member))
            case .empty: answer(.refused(.unknownMemberID, request.memberID))
            case .preparingRebalance, .completingRebalance, .stable:
                member.update(request)
                self.await(member, answer)
                if self.state != .preparingRebalance { self.prepareRebalance() }
            }
        }
    }

    private func add(_ member: GroupMember, _ request: JoinRequest, _ answer: @escaping (JoinAnswer) -> Void)
    {
        if self.members.isEmpty { self.protocolType = request.protocolType }
        self.members.append(member)
        if self.leader == nil { self.leader = member.id }
        if self.generation == 0 { self.gathering?.hasGrown = true }
        self.restartSession(of: member, Self.newMemberTimeout)
        self.await(member, answer)
        if self.state != .preparingRebalance { self.prepareRebalance() }
    }

    /// A static member is back under a new id. Nothing else need change if it says what it said before.
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
            // The leader of before is named, so that the new one does not assign for nothing.
            answer(self.joinAnswer(for: new, leader: leader))
            return
        }
        self.await(new, answer)
        if self.state != .preparingRebalance { self.prepareRebalance() }
    }

    /// Holds the answer until the join is complete. One that was held before is from a lost connection.
    private func await(_ member: GroupMember, _ answer: @escaping (JoinAnswer) -> Void) {
        member.answerJoin(.refused(.rebalanceInProgress, member.id))
        member.joining = answer
    }

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

    /// What all speak and most prefer.
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
        // Where two have as many votes, the one that the leader names first.
        let counts = common.map { name in votes.count { $0 == name } }
        return zip(common, counts).first { $0.1 == counts.max() }?.0
    }
}
