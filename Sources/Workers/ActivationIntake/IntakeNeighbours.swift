package import ServiceKit

/// The topics that tell a worker on either side of the intake whether an intake stands before it.
///
/// An intake takes `activation` and puts out `activation.due`. If the worker that reports takes `activation`
/// too, each activation is reported twice; if it takes `activation.due` and there is no intake, it reports
/// nothing. Neither is a fault that the worker itself could see.
package enum IntakeNeighbours {
    private static let due = ".due"
    private static let home = ".home"

    /// Returns the neighbours of a worker that consumes a topic.
    package static func neighbours(of topic: String) -> [Preflight.Neighbour] {
        guard topic.hasSuffix(self.due) else {
            return [
                Preflight.Neighbour(
                    topic: topic + self.home,
                    isExpected: false,
                    warning:
                        "There is a topic '\(topic)\(self.home)', as activation-worker intake uses it. If an intake "
                        + "runs, it consumes '\(topic)' as this worker does, and each activation is reported twice: set "
                        + "kafka.topic to '\(topic)\(self.due)'. If none runs, delete that topic."
                )
            ]
        }
        let input = topic.dropLast(self.due.count)
        return [
            Preflight.Neighbour(
                topic: input + self.home,
                isExpected: true,
                warning:
                    "kafka.topic is '\(topic)', which activation-worker intake fills, and there is no topic "
                    + "'\(input)\(self.home)', as an intake uses it: start the intake, or set kafka.topic to '\(input)'."
            )
        ]
    }
}
