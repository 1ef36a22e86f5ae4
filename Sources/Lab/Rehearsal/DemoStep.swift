import Harness

/// A step of the demo: records that are published together.
struct DemoStep {
    var title: String
    /// The faults that are set before, as JSON for the upstream's control endpoint; nil leaves them
    /// unchanged.
    var faults: [UInt8]?
    var samples: [Sample]
    /// The length of the outage during which the records are published; nil for no outage.
    var outage: Duration?

    init(_ title: String, faults: [UInt8]? = nil, outage: Duration? = nil, _ samples: [Sample]) {
        self.title = title
        self.faults = faults
        self.samples = samples
        self.outage = outage
    }
}
