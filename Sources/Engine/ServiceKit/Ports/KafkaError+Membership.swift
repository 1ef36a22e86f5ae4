import Kafka

extension KafkaError {
    /// Returns the error as a worker has to take it: fatal, and in the words of the worker's settings, if the
    /// group will not accept this worker however often it tries.
    ///
    /// - Parameter hasJoined: Whether the group has ever accepted this worker. If it has, the worker keeps
    ///   trying when the cluster takes rights away, because they may come back.
    func asToldToMember(hasJoined: Bool) -> KafkaError {
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
                "This client has no right to read with kafka.group. Allow it READ on the group"
            default: nil
            }
        guard let sentence else { return self }
        return KafkaError(code: self.code, message: sentence, isFatal: true)
    }
}
