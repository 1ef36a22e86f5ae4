package import Kafka

extension KafkaError {
    /// The same error as a worker is to take it: fatal, and in the words of its settings, if the group will not have
    /// this worker however often it tries.
    ///
    /// - Parameter hasJoined: whether the group has ever taken this worker. One that it had taken once is tried again
    ///   when the cluster takes rights away: they may come back.
    package func asToldToMember(hasJoined: Bool) -> KafkaError {
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
