import Synchronization

/// Keeps every metric of the process and writes all of them as a Prometheus page.
///
/// The lock is taken when a metric is made, destroyed or read, and never when it counts: each handler owns
/// its atomics. Code that counts often should therefore keep its `Counter` or `Timer`. Making a metric of the
/// same name and labels again gives the same series.
///
/// Label values can come from outside, so the number of series of one name is limited. Series beyond the
/// limit, and series that give an existing name another type, count nothing. They are counted in
/// `metrics_dropped_series_total`.
package final class PrometheusRegistry: Sendable {
    /// The content type of the page.
    package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    private struct Description {
        var help: String
        var buckets: HistogramBuckets?
    }

    private struct State {
        var families: [MetricName: MetricFamily] = [:]
        var descriptions: [MetricName: Description] = [:]
        var dropped: [MetricName: CounterSeries] = [:]

        /// Returns the description of a metric. A counter may be described with or without its `_total`.
        func description(of name: MetricName) -> Description? {
            if let description = self.descriptions[name] { return description }
            guard name.text.hasSuffix("_total") else { return nil }
            return self.descriptions[MetricName(String(name.text.dropLast("_total".count)))]
        }

        mutating func drop(_ name: MetricName) {
            let labels = MetricLabels([("metric", name.text)])
            let identity = SeriesIdentity(name: PrometheusRegistry.droppedName, labels: labels)
            let series = self.dropped[name] ?? CounterSeries(identity: identity)
            series.increment(by: 1)
            self.dropped[name] = series
        }
    }

    private let seriesLimit: Int
    private let state = Mutex(State())

    /// Makes an empty registry.
    ///
    /// - Parameter seriesLimit: the largest number of label sets under each name.
    package init(seriesLimit: Int = 1_000) {
        self.seriesLimit = seriesLimit
    }

    /// Gives a metric its help text, and a histogram its buckets. Call it before the first series of the name
    /// is made, since buckets have no effect on a name that has series already.
    package func describe(_ label: String, help: String, buckets: HistogramBuckets? = nil) {
        self.state.withLock {
            $0.descriptions[MetricName(label)] = Description(help: help, buckets: buckets)
        }
    }

    /// The names that have a help text, as they are exposed.
    package var describedNames: Set<String> {
        self.state.withLock { Set($0.descriptions.keys.map(\.text)) }
    }

    /// Returns the page for a scrape. Names and labels are sorted, so that two pages can be compared.
    package func exposition() -> String {
        // Only references are copied under the lock, so writing the page delays no other thread.
        let state = self.state.withLock { $0 }
        var families = state.families
        if !state.dropped.isEmpty {
            var family = MetricFamily(kind: .counter, buckets: [])
            for series in state.dropped.values { family.series[series.identity.labels] = series }
            families[Self.droppedName] = family
        }
        var page = Exposition()
        for (name, family) in families.sorted(by: { $0.key < $1.key }) {
            let help = name == Self.droppedName ? Self.droppedHelp : state.description(of: name)?.help
            page.header(of: name, kind: family.kind, help: help)
            for (_, series) in family.series.sorted(by: { $0.key < $1.key }) {
                series.write(to: &page)
            }
        }
        return page.text
    }

    private static let droppedName = MetricName("metrics_dropped_series_total")
    private static let droppedHelp = "Series refused because their name had too many, or another type."

    /// Returns the series of a name and labels, which is made if it does not exist. Nil if the name has
    /// another type or too many series.
    func series<Series: MetricSeries>(
        _ name: MetricName,
        _ dimensions: [(String, String)],
        kind: MetricFamily.Kind,
        defaultBuckets: HistogramBuckets = [],
        make: (SeriesIdentity, HistogramBuckets) -> Series
    ) -> Series? {
        let labels = MetricLabels(dimensions)
        return self.state.withLock { state in
            if let existing = state.families[name]?.series[labels] {
                guard let series = existing as? Series else {
                    state.drop(name)
                    return nil
                }
                return series
            }
            if state.families[name] == nil {
                let buckets = state.description(of: name)?.buckets ?? defaultBuckets
                state.families[name] = MetricFamily(kind: kind, buckets: buckets)
            }
            guard let family = state.families[name], family.kind == kind, name != Self.droppedName,
                family.series.count < self.seriesLimit
            else {
                state.drop(name)
                return nil
            }
            let series = make(SeriesIdentity(name: name, labels: labels), family.buckets)
            state.families[name]?.series[labels] = series
            return series
        }
    }

    func destroy(_ handler: AnyObject) {
        guard let series = handler as? any MetricSeries else { return }
        let identity = series.identity
        self.state.withLock { state in
            // If a handler is destroyed twice, the second call must not remove a newer series of the same
            // name and labels.
            guard state.families[identity.name]?.series[identity.labels] === series else { return }
            state.families[identity.name]?.series[identity.labels] = nil
            if state.families[identity.name]?.series.isEmpty == true {
                state.families[identity.name] = nil
            }
        }
    }
}
