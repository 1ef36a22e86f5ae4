import Kafka

extension Desk {
    /// Returns for each topic of dead letters how long the broker still keeps the open letters.
    ///
    /// - Parameter soon: the period for `goingSoon`, in milliseconds from now; not negative.
    package func retention(soon: Int64) throws -> [RetentionView] {
        let topics = try self.reader.letterTopics().keys.sorted()
        let settings: [String: TopicSettings]
        do throws(KafkaError) {
            settings = try self.reader.log.settings(of: topics, atMost: self.settings.patience)
        } catch {
            // An old or a small broker cannot be asked for settings. The view says so in `isUnknown`, and has
            // the other facts all the same.
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
            // A topic's `retention.ms` may be as large as an Int64, so the sum must not overflow.
            if let keeps { filter.until = Self.sum(self.now(), soon - keeps) }
            return RetentionView(
                topic: topic,
                keeps: keeps,
                bytes: bytes,
                open: open,
                goingSoon: keeps == nil ? 0 : try self.index.count(filter, mark: self.mark),
                within: soon,
                firstGoes: keeps.flatMap { keeps in oldest.map { Self.sum($0, keeps) } },
                isUnknown: settings[topic] == nil
            )
        }
    }

    /// Adds two numbers; a sum beyond the range of an Int64 becomes its bound.
    private static func sum(_ one: Int64, _ other: Int64) -> Int64 {
        let (sum, isTooLarge) = one.addingReportingOverflow(other)
        return isTooLarge ? (other < 0 ? .min : .max) : sum
    }
}
