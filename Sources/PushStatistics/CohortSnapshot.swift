package import WireFormats

/// A cohort at one moment, as it is written to Kafka and read back.
package struct CohortSnapshot: Hashable, Sendable {
    package var key: CohortKey
    package var campaignID: String
    /// The input partition.
    package var source: Int32
    package var term: Int64
    package var version: Int64
    package var isClosed: Bool
    package var tally: Tally
    package var firstSeen: Int64
    package var lastSeen: Int64
    /// What the times of the devices are counted from.
    package var base: Int64
    /// Devices of which something is new. Empty in what is told to others.
    package var devices: [DeviceRecord] = []

    package init(
        key: CohortKey,
        campaignID: String,
        source: Int32,
        term: Int64,
        version: Int64,
        isClosed: Bool,
        tally: Tally,
        firstSeen: Int64,
        lastSeen: Int64,
        base: Int64
    ) {
        self.key = key
        self.campaignID = campaignID
        self.source = source
        self.term = term
        self.version = version
        self.isClosed = isClosed
        self.tally = tally
        self.firstSeen = firstSeen
        self.lastSeen = lastSeen
        self.base = base
    }
}
