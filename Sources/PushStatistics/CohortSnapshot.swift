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

    /// The same as several snapshots of at most so many devices: read back one after the other, they say what this one
    /// says. However much has changed, each of them fits into a record.
    package func pieces(ofDevices limit: Int) -> [CohortSnapshot] {
        guard self.devices.count > limit else { return [self] }
        return stride(from: 0, to: self.devices.count, by: max(1, limit)).map { start in
            var piece = self
            piece.devices = Array(self.devices[start..<min(start + max(1, limit), self.devices.count)])
            return piece
        }
    }

    /// What a snapshot takes in a record without its devices, at most: three names of 256 bytes in its key and its
    /// value, 33 reasons, and a sketch of 600 lags.
    package static let ownBytesLimit = 32 << 10
}
