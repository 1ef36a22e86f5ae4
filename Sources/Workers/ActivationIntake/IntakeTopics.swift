import ServiceKit
package import StreamKit

/// The names of the topics of the intake.
package struct IntakeTopics: Hashable, Sendable {
    package var activations: String
    package var uploads: String
    package var clicks: String
    package var home: String
    package var changelog: String
    /// The number of the first partitions of home and changelog in which devices are at home; nil for all.
    package var changelogPartitions: Int?
    package var due: String
    package var events: String?
    package var result: String
    package var uploadResult: String
    package var deadLetter: String
    /// The topics of dead letters with some reasons.
    package var routedLetters: [String]

    /// The names of all topics, whether they are used or not.
    package var names: [String] {
        [
            self.activations, self.uploads, self.clicks, self.home, self.changelog, self.due, self.result,
            self.uploadResult, self.deadLetter,
        ] + self.routedLetters + (self.events.map { [$0] } ?? [])
    }

    /// The spread of the devices over the partitions of home and changelog.
    package func spread(in partitionCounts: [String: Int]) -> StateSpread {
        StateSpread(
            of: self.changelog,
            partitions: partitionCounts[self.changelog] ?? 1,
            limit: self.changelogPartitions
        )
    }

    /// The role of each topic that is used, its name, and its use.
    func roles(of settings: IntakeSettings) -> [(role: String, topic: String, use: TopicUse)] {
        var roles: [(role: String, topic: String, use: TopicUse)] = [
            ("input", self.activations, .read), ("home", self.home, .both),
            ("changelog", self.changelog, .both), ("due", self.due, .written),
            ("result", self.result, .written), ("dead-letter", self.deadLetter, .written),
        ]
        roles += self.routedLetters.map { ("dead-letter", $0, .written) }
        if settings.takesUploads {
            roles += [("upload", self.uploads, .read), ("upload result", self.uploadResult, .written)]
        }
        if settings.matchesClicks { roles.append(("click", self.clicks, .read)) }
        if let events = self.events { roles.append(("events", events, .written)) }
        return roles
    }
}
