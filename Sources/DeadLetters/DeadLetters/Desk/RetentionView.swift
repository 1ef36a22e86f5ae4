/// How long the broker keeps the dead letters of one topic.
package struct RetentionView: Hashable, Sendable {
    /// The topic of dead letters.
    package var topic: String
    /// The topic's `retention.ms`: the broker keeps a record at least that many milliseconds; nil without
    /// such a limit.
    package var keeps: Int64?
    /// The topic's `retention.bytes`: beyond that many bytes of a partition the broker deletes the oldest
    /// records; nil without such a limit.
    package var bytes: Int64?
    /// The number of open letters.
    package var open: Int
    /// The number of open letters that the broker may delete within the period that the caller asked for.
    package var goingSoon: Int
    /// That period, in milliseconds.
    package var within: Int64 = 86_400_000
    /// The time from which the broker may delete the oldest open letter, in milliseconds since 1970; nil if
    /// there is no open letter or no time limit.
    package var firstGoes: Int64?
    /// Whether the cluster did not tell the topic's settings; the limits above are nil then.
    package var isUnknown: Bool
}
