extension Node {
    // MARK: SaslHandshake and SaslAuthenticate

    func saslHandshake(_ call: Call) throws(Malformed) {
        let error = call.client.identity.choose(try call.body.string())
        call.answer { writer in
            writer.error(error)
            writer.array(call.client.identity.mechanisms) { writer, mechanism in writer.string(mechanism) }
        }
    }

    /// Handles a SaslAuthenticate request. Kafka closes the connection after a failure, and so does this broker, with
    /// the client's next request.
    func saslAuthenticate(_ call: Call) throws(Malformed) {
        let result = call.client.identity.authenticate(try call.body.bytes())
        call.answer { writer in
            switch result {
            case .success(let message):
                writer.error(nil)
                writer.string(nil)
                writer.bytes(message)
            case .failure(let error):
                writer.error(error)
                writer.string("Authentication failed: the credentials are not accepted.")
                writer.bytes([])
            }
            if call.version >= 1 { writer.integer(Int64(0)) }  // The session has no end.
        }
    }

    // MARK: Rights

    /// Whether the client of a call may do this.
    func allows(
        _ call: Call,
        _ operation: AccessRule.Operation,
        on kind: AccessRule.Kind,
        named name: String
    ) -> Bool {
        self.access.allows(call.client.identity.principal, operation, on: kind, named: name)
    }

    /// Whether the client may create this topic: by a right on the topic, or on the cluster.
    func mayCreate(_ topic: String, _ call: Call) -> Bool {
        self.allows(call, .create, on: .cluster, named: AccessRules.cluster)
            || self.allows(call, .create, on: .topic, named: topic)
    }

    /// The error of a client that may not do this to a topic, or nil.
    func refusal(of call: Call, _ operation: AccessRule.Operation, topic: String) -> ErrorCode? {
        self.allows(call, operation, on: .topic, named: topic) ? nil : .topicAuthorizationFailed
    }

    /// The error of a client that may not do this to a group, or nil.
    func refusal(of call: Call, _ operation: AccessRule.Operation, group: String) -> ErrorCode? {
        self.allows(call, operation, on: .group, named: group) ? nil : .groupAuthorizationFailed
    }

    /// The error of a client that may not use a transactional id, or nil.
    func refusal(of call: Call, _ operation: AccessRule.Operation, transactionalID: String) -> ErrorCode? {
        self.allows(call, operation, on: .transactionalID, named: transactionalID)
            ? nil : .transactionalIDAuthorizationFailed
    }
}
