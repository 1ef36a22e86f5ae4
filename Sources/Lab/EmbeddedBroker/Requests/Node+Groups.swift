extension Node {
    // MARK: JoinGroup

    func joinGroup(_ call: Call) throws(Malformed) {
        let version = call.version
        let groupID = try call.body.string()
        let sessionTimeout = try call.body.duration()
        let rebalanceTimeout = version >= 1 ? try call.body.duration() : sessionTimeout
        let memberID = try call.body.string()
        let instanceID = version >= 5 ? try call.body.nullableString() : nil
        let request = JoinRequest(
            memberID: memberID,
            instanceID: instanceID,
            clientID: call.header.clientID,
            clientHost: call.clientHost,
            sessionTimeout: sessionTimeout,
            rebalanceTimeout: rebalanceTimeout,
            protocolType: try call.body.string(),
            protocols: try call.body.array { (reader) throws(Malformed) in
                GroupProtocol(name: try reader.string(), metadata: try reader.bytes())
            },
            comesTwice: version >= 4
        )
        let answer = { (answer: JoinAnswer) in Self.answer(call, answer) }
        if let error = self.refusal(of: call, .read, group: groupID) ?? self.coordinatorError {
            answer(.refused(error, memberID))
        } else if !self.settings.sessionTimeouts.contains(sessionTimeout) {
            answer(.refused(.invalidSessionTimeout, memberID))
        } else if !memberID.isEmpty, self.groups[groupID] == nil, !groupID.isEmpty {
            answer(.refused(.unknownMemberID, memberID))
        } else {
            switch self.group(groupID) {
            case .failure(let error): answer(.refused(error, memberID))
            case .success(let group): group.join(request, answer)
            }
        }
    }

    private static func answer(_ call: Call, _ answer: JoinAnswer) {
        call.answer { writer in
            if call.version >= 2 { writer.noThrottle() }
            writer.error(answer.error)
            writer.integer(answer.generation)
            writer.string(answer.protocolName)
            writer.string(answer.leader)
            writer.string(answer.memberID)
            writer.array(answer.members) { writer, member in
                writer.string(member.id)
                if call.version >= 5 { writer.string(member.instanceID) }
                writer.bytes(member.metadata)
            }
        }
    }

    // MARK: SyncGroup

    func syncGroup(_ call: Call) throws(Malformed) {
        let groupID = try call.body.string()
        let generation = try call.body.int32()
        let memberID = try call.body.string()
        let instanceID = call.version >= 3 ? try call.body.nullableString() : nil
        let assignments = try call.body.array { (reader) throws(Malformed) in
            (try reader.string(), try reader.bytes())
        }
        let answer = { (answer: SyncAnswer) in
            call.answer { writer in
                if call.version >= 1 { writer.noThrottle() }
                switch answer {
                case .assigned(let assignment):
                    writer.error(nil)
                    writer.bytes(assignment)
                case .refused(let error):
                    writer.error(error)
                    writer.bytes([])
                }
            }
        }
        if let error = self.refusal(of: call, .read, group: groupID) ?? self.coordinatorError {
            answer(.refused(error))
        } else if let group = self.groups[groupID] {
            group.sync(
                memberID,
                instance: instanceID,
                generation: generation,
                assignments: Dictionary(assignments) { $1 },
                answer
            )
        } else {
            answer(.refused(.unknownMemberID))
        }
    }

    // MARK: Heartbeat and LeaveGroup

    func heartbeat(_ call: Call) throws(Malformed) {
        let groupID = try call.body.string()
        let generation = try call.body.int32()
        let memberID = try call.body.string()
        let instanceID = call.version >= 3 ? try call.body.nullableString() : nil
        let error: ErrorCode? =
            if let error = self.refusal(of: call, .read, group: groupID) ?? self.coordinatorError {
                error
            } else if let group = self.groups[groupID] {
                group.heartbeat(memberID, instance: instanceID, generation: generation)
            } else {
                .unknownMemberID
            }
        Self.answer(call, error)
    }

    func leaveGroup(_ call: Call) throws(Malformed) {
        let groupID = try call.body.string()
        let memberID = try call.body.string()
        let error: ErrorCode? =
            if let error = self.refusal(of: call, .read, group: groupID) ?? self.coordinatorError {
                error
            } else if let group = self.groups[groupID] {
                group.leave(memberID)
            } else {
                .unknownMemberID
            }
        Self.answer(call, error)
    }

    private static func answer(_ call: Call, _ error: ErrorCode?) {
        call.answer { writer in
            if call.version >= 1 { writer.noThrottle() }
            writer.error(error)
        }
    }

    // MARK: ListGroups, DescribeGroups and DeleteGroups

    func listGroups(_ call: Call) {
        let groups = self.groups.values.filter { self.allows(call, .describe, on: .group, named: $0.id) }
            .sorted { $0.id < $1.id }
        call.answer { writer in
            if call.version >= 1 { writer.noThrottle() }
            writer.error(self.coordinatorError)
            writer.array(groups) { writer, group in
                writer.string(group.id)
                writer.string(group.protocolType ?? "")
            }
        }
    }

    func describeGroups(_ call: Call) throws(Malformed) {
        let version = call.version
        let ids = try call.body.array { (reader) throws(Malformed) in try reader.string() }
        call.answer { writer in
            if version >= 1 { writer.noThrottle() }
            writer.array(ids) { writer, id in
                let error = self.refusal(of: call, .describe, group: id) ?? self.coordinatorError
                let group = error == nil ? self.groups[id] : nil
                let name = group?.state == .stable ? group?.protocolName ?? "" : ""
                writer.error(error)
                writer.string(id)
                writer.string(group?.state.rawValue ?? (error == nil ? "Dead" : ""))
                writer.string(group?.protocolType ?? "")
                writer.string(name)
                writer.array(group?.members ?? []) { writer, member in
                    writer.string(member.id)
                    if version >= 4 { writer.string(member.instanceID) }
                    writer.string(member.clientID)
                    writer.string(member.clientHost)
                    writer.bytes(member.metadata(for: name))
                    writer.bytes(member.assignment)
                }
                if version >= 3 { writer.integer(Int32.min) }  // The allowed operations: not known.
            }
        }
    }

    func deleteGroups(_ call: Call) throws(Malformed) {
        let ids = try call.body.array { (reader) throws(Malformed) in try reader.string() }
        let results = ids.map { id in
            (id, self.refusal(of: call, .delete, group: id) ?? self.coordinatorError ?? self.deleteGroup(id))
        }
        call.answer { writer in
            writer.noThrottle()
            writer.array(results) { writer, result in
                writer.string(result.0)
                writer.error(result.1)
            }
        }
    }

    private func deleteGroup(_ id: String) -> ErrorCode? {
        guard let group = self.groups[id] else { return .groupIDNotFound }
        guard group.state == .empty, group.expected.isEmpty else { return .nonEmptyGroup }
        self.groups[id] = nil
        return nil
    }
}
