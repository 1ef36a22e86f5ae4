extension Group {
    /// Starts a rebalance: every member is asked to join again, at its next request.
    func prepareRebalance() {
        for member in self.members {
            if self.state == .completingRebalance { member.assignment = [] }
            member.answerSync(.refused(.rebalanceInProgress))
        }
        self.syncTimer?.cancel()
        self.unsynced = []
        if self.state == .empty {
            self.state = .preparingRebalance
            let delay = self.settings.initialRebalanceDelay
            self.gather(for: delay, timeLeft: max(self.rebalanceTimeout - delay, .zero))
        } else {
            self.state = .preparingRebalance
            self.startJoinTimer()
            self.completeJoinIfAllAreHere()
        }
    }

    /// Delays the first join of an empty group. The members of a new group mostly arrive together, and a
    /// short wait saves one rebalance per member.
    private func gather(for delay: Duration, timeLeft: Duration) {
        self.gathering = Gathering(timeLeft: timeLeft)
        self.joinTimer?.cancel()
        self.joinTimer = self.timers.after(delay) { [weak self] in
            guard let self, let gathering = self.gathering else { return }
            if gathering.hasGrown, gathering.timeLeft > .zero {
                let delay = min(self.settings.initialRebalanceDelay, gathering.timeLeft)
                self.gather(for: delay, timeLeft: gathering.timeLeft - delay)
            } else {
                self.gathering = nil
                self.completeJoin()
            }
        }
    }

    private func startJoinTimer() {
        self.joinTimer?.cancel()
        self.joinTimer = self.timers.after(self.rebalanceTimeout) { [weak self] in self?.completeJoin() }
    }

    /// Completes the join at once if no member is missing.
    func completeJoinIfAllAreHere() {
        guard self.state == .preparingRebalance, self.gathering == nil, self.expected.isEmpty,
            self.members.allSatisfy({ $0.joining != nil })
        else { return }
        self.completeJoin()
    }

    /// Starts the next generation with the members that have joined. A dynamic member that has not joined is
    /// removed; a static member may be absent until its session expires.
    private func completeJoin() {
        self.joinTimer?.cancel()
        for member in self.members where member.joining == nil && member.instanceID == nil {
            self.remove(member)
        }
        guard self.electLeader() else {
            self.startJoinTimer()
            return
        }
        self.generation &+= 1
        guard !self.members.isEmpty else {
            (self.state, self.protocolName, self.protocolType, self.leader) = (.empty, nil, nil, nil)
            return
        }
        self.state = .completingRebalance
        self.protocolName = self.chosenProtocol()
        self.unsynced = Set(self.members.map(\.id))
        self.syncTimer = self.timers.after(self.rebalanceTimeout) { [weak self] in self?.syncTimeIsUp() }
        for member in self.members {
            member.isNew = false
            self.restartSession(of: member)
            member.answerJoin(self.joinAnswer(for: member))
        }
    }

    /// Ensures that the leader is a member that has joined.
    ///
    /// - Returns: false if all members are static and absent; then no member can lead.
    private func electLeader() -> Bool {
        guard !self.members.isEmpty else { return true }
        if let leader = self.leader.flatMap({ self.member($0) }), leader.joining != nil { return true }
        guard let present = self.members.first(where: { $0.joining != nil }) else { return false }
        self.leader = present.id
        return true
    }

    /// Handles a SyncGroup request. The answer is held until the leader has sent the assignment.
    func sync(
        _ memberID: String,
        instance: String?,
        generation: Int32,
        assignments: [String: [UInt8]],
        _ answer: @escaping (SyncAnswer) -> Void
    ) {
        switch self.find(memberID, instance: instance) {
        case .failure(let error): answer(.refused(error))
        case .success where generation != self.generation: answer(.refused(.illegalGeneration))
        case .success(let member):
            switch self.state {
            case .empty: answer(.refused(.unknownMemberID))
            case .preparingRebalance: answer(.refused(.rebalanceInProgress))
            case .stable:
                self.unsynced.remove(member.id)
                self.restartSession(of: member)
                answer(.assigned(member.assignment))
            case .completingRebalance:
                self.unsynced.remove(member.id)
                member.answerSync(.refused(.rebalanceInProgress))
                member.syncing = answer
                if member.id == self.leader { self.assign(assignments) }
            }
        }
    }

    private func assign(_ assignments: [String: [UInt8]]) {
        self.state = .stable
        for member in self.members {
            member.assignment = assignments[member.id] ?? []
            guard member.syncing != nil else { continue }
            self.restartSession(of: member)
            member.answerSync(.assigned(member.assignment))
        }
    }

    /// Removes the members that have joined and did not request their assignment within the rebalance
    /// timeout.
    private func syncTimeIsUp() {
        guard self.state == .stable || self.state == .completingRebalance, !self.unsynced.isEmpty else {
            return
        }
        for member in self.members where self.unsynced.contains(member.id) { self.remove(member) }
        self.prepareRebalance()
    }
}
