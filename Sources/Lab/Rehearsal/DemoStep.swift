import Harness
import Operations

/// A step of the demo: records that are published together.
struct DemoStep {
    var title: String
    /// The faults that are set before, as JSON for the upstream's control endpoint; nil leaves them
    /// unchanged.
    var faults: [UInt8]?
    /// The requests that come before the samples; nil for none.
    var prelude: Prelude?
    var samples: [Sample]
    /// The length of the outage during which the records are published; nil for no outage.
    var outage: Duration?

    /// Requests to the gateway, and the state of the worker that shows their effect.
    struct Prelude {
        var posts: [Sample.Post]
        /// Whether the worker's metrics show that it knows what was posted.
        var isKnown: (MetricsPage) -> Bool
        /// The sentence for the output.
        var text: String
    }

    init(
        _ title: String,
        faults: [UInt8]? = nil,
        outage: Duration? = nil,
        prelude: Prelude? = nil,
        _ samples: [Sample]
    ) {
        self.title = title
        self.prelude = prelude
        self.faults = faults
        self.samples = samples
        self.outage = outage
    }
}
