import WireFormats

/// The arrivals of many messages in each hour of two weeks, which end with one day (UTC).
struct HourlyArrivals: Hashable, Sendable {
    static let hoursOfDay = 24
    static let days = 14
    static let millisecondsOfDay: Int64 = 86_400_000

    /// The first instant of the last day, in milliseconds since 1970.
    let day: Int64
    /// The number of messages.
    let messages: Int
    /// The arrivals in each hour, the first hour of the first day first. A sum that is too large becomes the
    /// greatest number.
    private(set) var counts: [Int64]
    /// The arrivals whose hour is not known: counted by a worker that did not keep hours yet, or more than two
    /// weeks before the last ones of their message.
    private(set) var withoutHour: Int64 = 0

    /// - Parameter day: the first instant of the last day, in milliseconds since 1970.
    init(_ messages: [PushStatisticsRecord], day: Int64) {
        self.day = day
        self.messages = messages.count
        self.counts = [Int64](repeating: 0, count: Self.days * Self.hoursOfDay)
        let first = Int64(ArrivalHours.hour(of: day)) - Int64((Self.days - 1) * Self.hoursOfDay)
        for statistics in messages {
            var known: Int64 = 0
            for (hour, count) in statistics.hours.all {
                known = known.addingCapped(count)
                let place = Int64(hour) - first
                guard (0..<Int64(self.counts.count)).contains(place) else { continue }
                self.counts[Int(place)] = self.counts[Int(place)].addingCapped(count)
            }
            self.withoutHour = self.withoutHour.addingCapped(max(0, statistics.arrived - known))
        }
    }

    /// Returns the first instant of an hour, in milliseconds since 1970.
    func start(of place: Int) -> Int64 {
        self.day + Int64(place - (Self.days - 1) * Self.hoursOfDay) * ArrivalHours.length
    }

    /// Returns the arrivals of an hour of the last day, or of a day before it.
    ///
    /// - Parameter back: the days before the last one, 0 to 13.
    func count(hour: Int, back: Int = 0) -> Int64 {
        self.counts[(Self.days - 1 - back) * Self.hoursOfDay + hour]
    }

    /// Returns the arrivals of a whole day.
    ///
    /// - Parameter back: the days before the last one, 0 to 13.
    func count(ofDay back: Int) -> Int64 {
        (0..<Self.hoursOfDay).reduce(0) { $0.addingCapped(self.count(hour: $1, back: back)) }
    }
}
