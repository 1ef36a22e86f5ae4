import WireFormats

/// The devices of an app that one field of their events divides from the others, such as those with version 3.2.1.
struct DeviceSegment: Hashable, Sendable {
    let provider: String
    let app: String
    let dimension: PushSegments.Dimension
    let name: String
}

extension DeviceSegment {
    /// All segments of the app that the same field of the event divides; no segment has an empty name.
    var dimensionOfApp: DeviceSegment {
        DeviceSegment(provider: self.provider, app: self.app, dimension: self.dimension, name: "")
    }
}

/// Segments are ordered by dimension, name, app and provider.
extension DeviceSegment: Comparable {
    static func < (one: DeviceSegment, other: DeviceSegment) -> Bool {
        (one.dimension.rawValue, one.name, one.app, one.provider)
            < (other.dimension.rawValue, other.name, other.app, other.provider)
    }
}
