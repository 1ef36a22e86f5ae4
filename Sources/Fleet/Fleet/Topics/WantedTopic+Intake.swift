import ActivationIntake
import ServiceKit

extension WantedTopic {
    /// Returns the topics of an intake.
    static func topics(of settings: IntakeSettings) -> [WantedTopic] {
        let topics = settings.topics
        let size = Setting("max.message.bytes", .atLeast(Int64(settings.kafka.messageBytesLimit)))
        let lasting = [Setting("cleanup.policy", .exactly("delete"))]
        // An activation without a time happened when its record says, wherever the record goes.
        let times = Setting("message.timestamp.type", .exactly("CreateTime"))
        func input(_ role: String, _ name: String) -> WantedTopic {
            WantedTopic(role: role, name: name, partitions: .any, settings: lasting, isInput: true)
        }
        func output(_ role: String, _ name: String) -> WantedTopic {
            WantedTopic(role: role, name: name, partitions: .any, settings: lasting + [size])
        }
        var wanted = [
            input("input", topics.activations),
            WantedTopic(
                role: "home",
                name: topics.home,
                partitions: .same(as: topics.changelog),
                settings: lasting + [size, times]
            ),
            WantedTopic(
                role: "changelog",
                name: topics.changelog,
                partitions: .same(as: topics.home),
                settings: [
                    Setting("cleanup.policy", .including("compact", of: "compact")), size, .brokersTime,
                    Setting("retention.ms", .atLeastWhereDeleted(settings.longestWindow.wholeMilliseconds)),
                ]
            ),
            WantedTopic(
                role: "due",
                name: topics.due,
                partitions: .any,
                settings: lasting + [size, times]
            ),
            output("result", topics.result),
            output("dead-letter", topics.deadLetter),
        ]
        wanted += topics.routedLetters.map { output("dead-letter", $0) }
        if settings.takesUploads {
            wanted += [input("upload", topics.uploads), output("upload result", topics.uploadResult)]
        }
        if settings.matchesClicks { wanted.append(input("click", topics.clicks)) }
        // Each event has a key of its own, so the topic may be compacted too.
        if let events = topics.events {
            wanted.append(WantedTopic(role: "events", name: events, partitions: .any, settings: [size]))
        }
        return wanted
    }
}
