import Kafka
import Operations
import ServiceKit
import StreamKit

/// The names of the topics of the intake.
struct IntakeTopics: Hashable, Sendable {
    var activations: String
    var uploads: String
    var clicks: String
    var home: String
    var changelog: String
    var due: String
    var events: String?
    var result: String
    var uploadResult: String
    var deadLetter: String

    /// The role of each topic that is used, and its name.
    func roles(of settings: IntakeSettings) -> [(role: String, topic: String)] {
        var roles = [
            ("input", self.activations), ("home", self.home), ("changelog", self.changelog),
            ("due", self.due),
            ("result", self.result), ("dead-letter", self.deadLetter),
        ]
        if settings.takesUploads {
            roles += [("upload", self.uploads), ("upload result", self.uploadResult)]
        }
        if settings.matchesClicks { roles.append(("click", self.clicks)) }
        if let events = self.events { roles.append(("events", events)) }
        return roles
    }

    /// Checks that the topics are there, are different ones, and fit together.
    ///
    /// - Throws: `PreflightFailure` with a sentence for each fault.
    func check(_ cluster: StreamCluster, _ settings: IntakeSettings) throws {
        let roles = self.roles(of: settings)
        let missing = roles.compactMap { role, topic in
            cluster.partitionCounts[topic, default: 0] > 0
                ? nil
                : "The \(role) topic '\(topic)' does not exist, or this client may not see it; create it, or allow it."
        }
        var faults: [String] = []
        for (index, role) in roles.enumerated() {
            for other in roles[..<index] where other.topic == role.topic {
                faults.append(
                    "The topic '\(role.topic)' cannot be the \(other.role) topic and the \(role.role) topic."
                )
            }
        }
        // Missing topics may have been created a moment ago and appear soon, so that failure may pass. Topics
        // with the same name stay a fault.
        guard faults.isEmpty else { throw PreflightFailure(faults: missing + faults) }
        guard missing.isEmpty else { throw PreflightFailure(faults: missing, mayPass: true) }
        faults = self.partitionFaults(in: cluster) + self.retentionFaults(in: cluster, settings)
        guard faults.isEmpty else { throw PreflightFailure(faults: faults) }
    }

    /// The home of a device follows from the number of partitions, so both topics have the same number.
    private func partitionFaults(in cluster: StreamCluster) -> [String] {
        let counts = [self.home, self.changelog].map { cluster.partitionCounts[$0, default: 0] }
        guard counts[0] != counts[1] else { return [] }
        return [
            "The home topic '\(self.home)' has \(counts[0]) partitions and its changelog '\(self.changelog)' "
                + "\(counts[1]): both need the same number, which may not change while devices are remembered."
        ]
    }

    private func retentionFaults(in cluster: StreamCluster, _ settings: IntakeSettings) -> [String] {
        var faults: [String] = []
        for (role, topic) in [("home", self.home), ("due", self.due)] {
            guard let policy = cluster.topicSettings[topic]?["cleanup.policy"], policy.contains("compact")
            else {
                continue
            }
            faults.append(
                "The \(role) topic '\(topic)' is compacted (cleanup.policy '\(policy)'): a record would take away "
                    + "the one before it that has the same key. Set it to 'delete'."
            )
        }
        let changes = cluster.topicSettings[self.changelog]
        let least = settings.longestWindow.wholeMilliseconds
        if changes?["cleanup.policy"]?.contains("delete") ?? false,
            let time = changes?.number("retention.ms"),
            time >= 0, time < least
        {
            faults.append(
                "The changelog topic '\(self.changelog)' forgets (retention.ms \(time)) what is still looked up: after "
                    + "a restart, a repeat would be reported again. Set cleanup.policy to 'compact', or retention.ms "
                    + "to \(least) or more."
            )
        }
        return faults
    }
}
