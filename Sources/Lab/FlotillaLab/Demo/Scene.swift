/// A step of the demo: records that are published together.
struct Scene {
    var title: String
    /// The faults that are set before, as JSON for the upstream's control endpoint; nil leaves them
    /// unchanged.
    var faults: [UInt8]?
    var specimens: [Specimen]
    /// The length of the outage during which the records are published; nil for no outage.
    var outage: Duration?

    init(_ title: String, faults: [UInt8]? = nil, outage: Duration? = nil, _ specimens: [Specimen]) {
        self.title = title
        self.faults = faults
        self.specimens = specimens
        self.outage = outage
    }
}
