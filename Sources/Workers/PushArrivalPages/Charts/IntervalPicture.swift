/// The picture of an interval around a difference, in a box of 1,000 by 20 units whose middle is no difference.
struct IntervalPicture: Hashable, Sendable {
    /// The width of the box.
    static let width = 1_000

    /// The scale that several pictures have in common, so that they can be compared.
    struct Scale: Hashable, Sendable {
        /// The difference at the right end of the box.
        fileprivate let end: Double
        /// The smallest difference that matters.
        fileprivate let margin: Double

        init(_ intervals: [SequentialInterval], margin: Double) {
            self.margin = margin
            self.end = intervals.reduce(margin) { max($0, abs($1.low), abs($1.high)) } * 1.05
        }

        /// Returns the place of a difference in the box.
        fileprivate func place(_ difference: Double) -> Int {
            let half = Double(IntervalPicture.width) / 2
            return Int((half + max(-1, min(1, difference / self.end)) * half).rounded())
        }
    }

    /// The start and the width of the zone of differences that do not matter.
    let zoneStart: Int
    let zoneWidth: Int
    /// The start and the width of the interval.
    let start: Int
    let width: Int
    /// The place of the difference.
    let difference: Int

    init(_ interval: SequentialInterval, _ scale: Scale) {
        self.zoneStart = scale.place(-scale.margin)
        self.zoneWidth = max(1, scale.place(scale.margin) - self.zoneStart)
        self.start = scale.place(interval.low)
        self.width = max(1, scale.place(interval.high) - self.start)
        self.difference = scale.place(interval.difference)
    }
}
