extension StallWatch.Stall {
    /// The standstill of a member to which the group has assigned nothing. If no partition is left for a member, it is
    /// assigned an empty list.
    ///
    /// - Parameters:
    ///   - id: The name of the group.
    ///   - topics: The topics that the member consumes.
    ///   - trouble: The last error of its client, as a sentence without its full stop; nil if there was none.
    package static func group(_ id: String, reading topics: [String], trouble: String?) -> Self {
        let names = topics.map { "'\($0)'" }.joined(separator: ", ")
        return Self(
            cause: "group",
            description: "the group '\(id)' has assigned neither partitions nor an empty list"
                + (trouble.map { ": \($0)" } ?? ""),
            remedy:
                "look at the cluster, at this worker's right to READ \(names), and at members of the group that do not "
                + "answer; kafka.session_timeout bounds the wait for a dead one, and kafka.instance saves it for one "
                + "that comes back"
        )
    }
}
