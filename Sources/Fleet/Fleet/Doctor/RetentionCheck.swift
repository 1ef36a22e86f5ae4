import Kafka
import ServiceKit

/// Judges how long topics keep what a worker or a person still needs.
enum RetentionCheck {
    /// The least time for which dead letters should stay: over a long weekend.
    static let leastForLetters = Duration.seconds(4 * 86_400)

    /// Returns the findings about the topics of a worker, by their roles.
    ///
    /// - Parameters:
    ///   - settings: of the topics that the cluster tells of.
    ///   - deadline: how long after its timestamp a record may still be called for.
    static func findings(
        _ topics: [WantedTopic],
        settings: [String: TopicSettings],
        deadline: Duration?
    ) -> [Finding] {
        var findings: [Finding] = []
        for topic in topics {
            switch topic.role {
            case "input":
                guard let deadline else { continue }
                findings.append(
                    self.finding(
                        topic,
                        settings[topic.name],
                        least: deadline,
                        because:
                            "worker.deadline is that long: what waits for longer is gone, and never called for"
                    )
                )
            case "dead-letter":
                findings.append(
                    self.finding(
                        topic,
                        settings[topic.name],
                        least: self.leastForLetters,
                        because: "people need time: a letter of Friday is gone before anybody reads it"
                    )
                )
            default: continue
            }
        }
        return findings
    }

    private static func finding(
        _ topic: WantedTopic,
        _ settings: TopicSettings?,
        least: Duration,
        because reason: String
    ) -> Finding {
        let subject = "retention of '\(topic.name)'"
        guard let time = settings?.number("retention.ms") else {
            return Finding(.unchecked, subject, saying: "the cluster does not tell it to this client")
        }
        let needed = least.wholeMilliseconds
        guard time >= 0 else { return Finding(.good, subject, saying: "for ever") }
        guard time < needed else { return Finding(.good, subject, saying: "\(time) ms (retention.ms)") }
        return Finding(
            .warning,
            subject,
            saying:
                "\(time) ms (retention.ms), and it needs \(needed), because \(reason). Set it to \(needed) or more."
        )
    }
}
