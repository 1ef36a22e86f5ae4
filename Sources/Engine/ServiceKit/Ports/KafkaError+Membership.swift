import Kafka

extension KafkaError {
    /// Returns the error as a worker has to take it: fatal, and in the words of the worker's settings, if the
    /// group will not accept this worker however often it tries.
    ///
    /// - Parameters:
    ///   - hasJoined: Whether the group has ever accepted this worker. If it has, the worker keeps trying when the
    ///     cluster takes rights away, because they may come back.
    ///   - properties: librdkafka's properties of the member.
    func asToldToMember(hasJoined: Bool, _ properties: [String: String]) -> KafkaError {
        let sentence: String? =
            switch self.code {
            case .fencedInstance:
                "Another worker has joined the group with this worker's name. Give each its own kafka.instance"
            case .invalidSessionTimeout where !hasJoined:
                "The cluster does not take kafka.session_timeout. Choose one between its group.min.session.timeout.ms "
                    + "(6s where nothing is set) and its group.max.session.timeout.ms (30m where nothing is set)"
            case .inconsistentGroupProtocol where !hasJoined:
                "kafka.group has members that share no assignor with this worker (range, roundrobin). Stop them first, "
                    + "or choose another group"
            case .groupNotAuthorized where !hasJoined:
                NeededRight(.read, .group(properties["group.id"] ?? ""), for: "its group").sentence(
                    lackedBy: ClientPrincipal.principal(of: properties),
                    at: properties["bootstrap.servers"] ?? ""
                )
            default: nil
            }
        guard let sentence else { return hasJoined ? self.withRemedy : self }
        return KafkaError(code: self.code, message: sentence, isFatal: true)
    }

    /// The error with the setting to look at, if it is about the connection.
    var withRemedy: KafkaError {
        guard let trouble = ConnectionTrouble(self) else { return self }
        var error = self
        error.message = "\(trouble.sentence) (\(self.message))"
        return error
    }

    /// Returns the error in the words of an ACL, if the cluster does not allow the transactional id.
    ///
    /// - Parameter properties: librdkafka's properties of the producer.
    func asToldToProducer(_ properties: [String: String]) -> KafkaError {
        guard self.code == .transactionsNotAuthorized, let id = properties["transactional.id"] else {
            return self
        }
        var error = self
        error.message = NeededRight(.write, .transactionalID(id), for: "its transactions").sentence(
            lackedBy: ClientPrincipal.principal(of: properties),
            at: properties["bootstrap.servers"] ?? ""
        )
        return error
    }
}
