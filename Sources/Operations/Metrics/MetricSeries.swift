/// One line of numbers: a metric name together with one set of labels.
protocol MetricSeries: AnyObject, Sendable {
    var identity: SeriesIdentity { get }

    func write(to exposition: inout Exposition)
}

/// Where a series stands in its registry, so that it can be found again when it is destroyed.
struct SeriesIdentity: Hashable, Sendable {
    var name: MetricName
    var labels: MetricLabels
}

/// All series of one name. They share a type, a help text and, if they are histograms, the buckets.
struct MetricFamily {
    enum Kind: String {
        case counter, gauge, histogram
    }

    let kind: Kind
    let buckets: HistogramBuckets
    var series: [MetricLabels: any MetricSeries] = [:]
}
