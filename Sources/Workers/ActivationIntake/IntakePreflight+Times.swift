import Kafka
import ServiceKit

// The times of records that the intake passes on: each keeps that of the record that it comes from.
extension IntakePreflight {
    /// An activation without a time happened when its record says.
    func lookAtTimes(
        of topic: String,
        role: String,
        settings: TopicSettings,
        in outlook: inout Preflight.Outlook
    ) {
        guard [self.topics.home, self.topics.due].contains(topic), settings.hasBrokersTime else { return }
        outlook.faults.append(
            "The \(role) topic '\(topic)' puts the brokers' time on its records (message.timestamp.type "
                + "'LogAppendTime'): an activation without a time would be reported with that of its passage. "
                + "Set it to 'CreateTime': " + self.configCommand(topic, "message.timestamp.type=CreateTime")
        )
    }

    /// A record that is passed on keeps the time of the one that it comes from. A topic that refuses old or early times would
    /// refuse some of it, and the transaction with it, again and again.
    func lookAtTimeLimits(
        of topic: String,
        role: String,
        settings: TopicSettings,
        of all: [String: TopicSettings],
        in outlook: inout Preflight.Outlook
    ) {
        guard [self.topics.home, self.topics.changelog, self.topics.due, self.topics.events].contains(topic)
        else { return }
        let inputs = [self.topics.activations, self.topics.uploads, self.topics.clicks].compactMap { all[$0] }
        let oldest = min(Self.hundredYears, inputs.map(self.oldestAge).max() ?? Self.hundredYears)
        let earliest = inputs.map { Self.lead(of: $0) }.max() ?? 0
        var needs: [String: Int64] = [:]
        for (name, needed) in [("before", oldest), ("after", earliest)] {
            guard let limit = Self.limit(name, of: settings), limit.milliseconds < needed else { continue }
            needs[limit.setting] = max(needs[limit.setting] ?? 0, needed)
        }
        for (setting, needed) in needs.sorted(by: { $0.key < $1.key }) {
            outlook.faults.append(
                "The \(role) topic '\(topic)' refuses records whose time is more than \(settings[setting] ?? "") ms away from "
                    + "the brokers' (\(setting)), and the inputs can have such records: the intake would stop at the first. "
                    + "Set it to \(needed) or more: " + self.configCommand(topic, "\(setting)=\(needed)")
            )
        }
    }

    /// A limit that refuses nothing, in milliseconds: no record has a time before 1970.
    private static let hundredYears: Int64 = 100 * 365 * 86_400_000

    /// The age at which a record of an input can be passed on, in milliseconds. Kafka deletes whole segments, so a record
    /// outlives its retention by the time in which its segment was filled. An input that keeps its records without end, or
    /// does not say for how long, can have records of any age.
    private func oldestAge(in input: TopicSettings) -> Int64 {
        guard let retention = input.number("retention.ms"), retention >= 0 else { return .max }
        let patience = self.settings.clickPatience.wholeMilliseconds
        return Self.sum(Self.sum(retention, max(0, input.number("segment.ms") ?? 0)), patience)
    }

    /// The limit of a topic on times `before` or `after` the brokers'; nil if it has none. The older setting for both is in
    /// force where the newer one is not set (Apache Kafka, `LogConfig`), and neither is where the brokers put their time.
    private static func limit(
        _ name: String,
        of topic: TopicSettings
    ) -> (setting: String, milliseconds: Int64)? {
        guard !topic.hasBrokersTime else { return nil }
        return ["message.timestamp.\(name).max.ms", "message.timestamp.difference.max.ms"].lazy
            .compactMap { setting in topic.number(setting).map { (setting: setting, milliseconds: $0) } }
            .first { $0.milliseconds != .max }
    }

    /// How far ahead of the brokers' time a record of an input can be, in milliseconds.
    private static func lead(of input: TopicSettings) -> Int64 {
        guard !input.hasBrokersTime else { return 0 }
        return Self.limit("after", of: input)?.milliseconds ?? .max
    }

    private static func sum(_ one: Int64, _ other: Int64) -> Int64 {
        let (sum, isTooLarge) = one.addingReportingOverflow(other)
        return isTooLarge ? .max : sum
    }
}
