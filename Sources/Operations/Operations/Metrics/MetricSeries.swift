/// One series of numbers: a metric name together with one set of labels.
protocol MetricSeries: AnyObject, Sendable {
    var identity: SeriesIdentity { get }

    /// Writes the present value as lines of a page.
    func write(to exposition: inout Exposition)
}

/// The place of a series in its registry, with which it is found again when it is destroyed.
struct SeriesIdentity: Hashable, Sendable {
    var name: MetricName
    var labels: MetricLabels
}

/// All series of one name. They share a kind and a help text and, if they are histograms, their buckets.
struct MetricFamily {
    enum Kind: String {
        case counter, gauge, histogram
    }

    let kind: Kind
    let buckets: HistogramBuckets
    var series: [MetricLabels: any MetricSeries] = [:]
}
