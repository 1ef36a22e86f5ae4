package import WireFormats

/// How a replay is to be done.
package struct ReplayOptions: Sendable {
    /// Where to, for every letter; nil for the topic that each came from.
    package var target: String?
    package var timestamp: ReplayedRecord.TimestampPolicy = .original
    /// Records a second; nil for as fast as the cluster takes them.
    package var rate: Double?
    /// Of letters; those beyond it are left, the oldest go first.
    package var maximum = 10_000
    /// Also what was replayed without success or discarded before, what has been replayed too often, and what a replay
    /// cannot help.
    package var force = false
    /// Also letters whose replay has succeeded: their upstream does its work, such as a conversion, a second time.
    package var again = false
    /// How often a record may be replayed in its life.
    package var replayLimit = 3
    package var because = ""
    /// What was chosen, in words, for the audit trail.
    package var selection = ""
    /// Another value for the one letter that is chosen.
    package var edited: [UInt8]?

    /// Of `maximum`: what one command can hold in memory.
    package static let largestMaximum = 100_000

    package init() {}
}
