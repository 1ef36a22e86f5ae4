import WireFormats

/// The number of segments that are remembered, for each day and dimension of an app.
struct SegmentCounts {
    private var counts: [CohortKey: Int] = [:]

    /// Whether no further segment of the day and the dimension of this one is counted apart.
    func areFull(_ segment: CohortKey, limit: Int) -> Bool {
        (self.counts[segment.ofDimension] ?? 0) >= limit
    }

    /// Records that a cohort has begun; one of a message changes nothing.
    mutating func began(_ key: CohortKey) {
        guard !key.segment.isEmpty else { return }
        self.counts[key.ofDimension, default: 0] += 1
    }

    /// Records that a cohort is forgotten.
    mutating func ended(_ key: CohortKey) {
        guard !key.segment.isEmpty, let count = self.counts[key.ofDimension] else { return }
        self.counts[key.ofDimension] = count > 1 ? count - 1 : nil
    }
}

extension CohortKey {
    /// The key of the dimension of a segment, which no segment has.
    fileprivate var ofDimension: CohortKey {
        CohortKey(
            provider: self.provider,
            appBundle: self.appBundle,
            messageID: self.messageID,
            day: self.day,
            segment: self.segment.prefix { $0 != "=" }.description
        )
    }
}
