import Logging
import Metrics
import Operations

/// Watches whether fewer pushes arrive at a segment than before. Each fall is logged once, and the metric
/// `push_segments_fallen` counts those of the newest day that can be judged.
struct SegmentWatch {
    private let gauge: Gauge
    private let logger: Logger
    /// The day of the last look, in milliseconds since 1970, and the segments whose fall was logged for it.
    private var day = Int64.min
    private var told: Set<DeviceSegment> = []
    private var nextLook = Int64.min

    /// The time between two looks, in milliseconds. A look compares all segments.
    private static let interval: Int64 = 60_000
    /// The greatest number of log lines in one look; further falls are logged by the next one.
    private static let linesLimit = 20

    init(registry: PrometheusRegistry, logger: Logger) {
        self.gauge = Gauge(label: "push_segments_fallen", factory: registry)
        self.logger = logger
    }

    /// Compares the segments if a minute has passed since the last look.
    ///
    /// - Parameter now: the wall-clock time in milliseconds since 1970.
    mutating func look(at board: StatisticsBoard, now: Int64) {
        guard now >= self.nextLook || now < self.nextLook - Self.interval else { return }
        self.nextLook = now + Self.interval
        let day = SegmentTrend.newestDay(asOf: now)
        if day != self.day { (self.day, self.told) = (day, []) }
        let fallen = SegmentTrend.all(board.segments, on: day, asOf: now).filter(\.hasFallen)
        self.gauge.record(fallen.count)
        let news = fallen.filter { !self.told.contains($0.segment) }.sorted { $0.segment < $1.segment }
        for trend in news.prefix(Self.linesLimit) {
            guard let sentence = trend.sentence else { continue }
            self.told.insert(trend.segment)
            self.logger.warning("fewer notifications arrive", metadata: ["segment": "\(sentence)"])
        }
    }
}
