/// The numbers of arrivals in each hour of the clock (UTC), for the latest 336 hours that have any: two weeks of
/// a message that arrives all the time.
///
/// Which hours are kept depends only on the arrivals and not on their order. An hour is dropped once 336 later
/// hours have arrivals, and such an hour never comes back. Counts of several partitions can therefore be added
/// up in any order.
package struct ArrivalHours: Hashable, Sendable {
    /// The hours that have arrivals, as whole hours since 1970, in ascending order.
    private var hours: [Int32] = []
    /// The number of arrivals in each of the hours.
    private var counts: [Int64] = []

    /// The greatest number of hours.
    package static let limit = 336
    /// The length of an hour, in milliseconds.
    package static let length: Int64 = 3_600_000

    package init() {}

    /// Restores the counts.
    ///
    /// - Parameter all: the value of `all`. A count below 1 is left out.
    package init(_ all: some Sequence<(hour: Int32, count: Int64)>) {
        for (hour, count) in all where count > 0 { self.add(count, in: hour) }
    }

    /// The hours that have arrivals, in ascending order; an hour is counted from 1970.
    package var all: [(hour: Int32, count: Int64)] {
        zip(self.hours, self.counts).map { (hour: $0, count: $1) }
    }

    package var isEmpty: Bool { self.hours.isEmpty }

    /// The approximate size in memory, in bytes.
    package var byteCount: Int { self.hours.count * 12 }

    /// Returns the hour of a time in milliseconds since 1970.
    package static func hour(of time: Int64) -> Int32 {
        let (hours, rest) = time.quotientAndRemainder(dividingBy: self.length)
        return Int32(clamping: rest < 0 ? hours - 1 : hours)
    }

    /// Counts one arrival at this time, in milliseconds since 1970.
    package mutating func add(at time: Int64) { self.add(1, in: Self.hour(of: time)) }

    /// Adds the counts of other arrivals.
    package static func += (left: inout ArrivalHours, right: ArrivalHours) {
        for (hour, count) in right.all { left.add(count, in: hour) }
    }

    private mutating func add(_ count: Int64, in hour: Int32) {
        // Most arrivals are in one of the latest hours.
        let place = self.hours.lastIndex { $0 <= hour }
        if let place, self.hours[place] == hour {
            self.counts[place] &+= count
            return
        }
        let next = place.map { $0 + 1 } ?? 0
        guard next > 0 || self.hours.count < Self.limit else { return }
        self.hours.insert(hour, at: next)
        self.counts.insert(count, at: next)
        if self.hours.count > Self.limit {
            self.hours.removeFirst()
            self.counts.removeFirst()
        }
    }
}
