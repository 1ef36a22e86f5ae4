import Kafka

/// How long the letters of a topic are still there.
package struct RetentionView: Hashable, Sendable {
    package var topic: String
    /// Milliseconds that the broker keeps a record at least; nil for as long as there is room.
    package var keeps: Int64?
    /// Bytes of a partition beyond which the oldest records go; nil for no such bound.
    package var bytes: Int64?
    /// Open letters, and those of them that go within the time that was asked for.
    package var open: Int
    package var goingSoon: Int
    /// When the oldest open letter goes: milliseconds since 1970.
    package var firstGoes: Int64?
    /// The cluster does not tell what it keeps.
    package var isUnknown: Bool
}

extension Desk {
    /// How long open letters are still there, topic by topic.
    ///
    /// - Parameter soon: milliseconds from now.
    package func retention(soon: Int64) throws -> [RetentionView] {
        let topics = try self.reader.letterTopics().keys.sorted()
        let settings: [String: TopicSettings]
        do throws(KafkaError) {
            settings = try self.reader.log.settings(of: topics, atMost: self.settings.patience)
        } catch {
            // An old or a small broker cannot be asked; that is said, and the rest is told all the same.
            settings = [:]
        }
        return try topics.map { topic in
            let keeps = settings[topic]?.number("retention.ms").flatMap { $0 < 0 ? nil : $0 }
            let bytes = settings[topic]?.number("retention.bytes").flatMap { $0 < 0 ? nil : $0 }
            var filter = LetterFilter()
            filter.topics = [topic]
            filter.states = [.open]
            let open = try self.index.count(filter, mark: self.mark)
            let oldest = try self.index.letters(filter, mark: self.mark, limit: 1).first?.at
            // A time that is set may be as long as the numbers go.
            if let keeps { filter.until = Self.sum(self.now(), soon - keeps) }
            return RetentionView(
                topic: topic,
                keeps: keeps,
                bytes: bytes,
                open: open,
                goingSoon: keeps == nil ? 0 : try self.index.count(filter, mark: self.mark),
                firstGoes: keeps.flatMap { keeps in oldest.map { Self.sum($0, keeps) } },
                isUnknown: settings[topic] == nil
            )
        }
    }

    private static func sum(_ one: Int64, _ other: Int64) -> Int64 {
        let (sum, isTooLarge) = one.addingReportingOverflow(other)
        return isTooLarge ? (other < 0 ? .min : .max) : sum
    }
}
