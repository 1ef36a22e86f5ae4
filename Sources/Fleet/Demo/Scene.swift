/// A part of an act: records that are published together.
struct Scene {
    var title: String
    /// What the upstream is told to do wrong before that, as JSON; nil leaves it as it is.
    var faults: [UInt8]?
    var specimens: [Specimen]
    /// For so long the upstream is down, and they are published once it is.
    var outage: Duration?

    init(_ title: String, faults: [UInt8]? = nil, outage: Duration? = nil, _ specimens: [Specimen]) {
        self.title = title
        self.faults = faults
        self.specimens = specimens
        self.outage = outage
    }
}
