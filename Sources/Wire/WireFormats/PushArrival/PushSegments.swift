/// The segments of devices that an event names: fields whose values divide the devices of an app.
package struct PushSegments: Hashable, Sendable {
    /// A field of the event; the raw value is its name in a record.
    package enum Dimension: String, Hashable, Sendable, CaseIterable {
        case appVersion = "app_version"
        case osVersion = "os_version"
        case deviceModel = "device_model"
        case country
    }

    /// The app's version; empty if unknown, as the other values. At most 64 bytes each.
    package var appVersion = ""
    /// The version of the operating system, such as 17.5.1.
    package var osVersion = ""
    /// The class of the device, such as iPhone.
    package var deviceModel = ""
    /// The country in two capital letters.
    package var country = ""

    package init() {}

    /// The name under which the segments of a day beyond the limit are counted.
    package static let other = "other"

    /// The first iOS that runs service extensions.
    private static let firstExtensionVersion = 10

    /// Whether the operating system is one that runs no service extensions.
    var isBelowExtensions: Bool {
        guard let major = self.osVersion.split(separator: ".").first.flatMap({ UInt($0) }) else {
            return false
        }
        return major < Self.firstExtensionVersion
    }

    /// Returns the segment of a dimension; empty if it is unknown. Two components of an operating system's version
    /// count.
    package func segment(by dimension: Dimension) -> String {
        switch dimension {
        case .appVersion: self.appVersion
        case .osVersion: self.osVersion.split(separator: ".").prefix(2).joined(separator: ".")
        case .deviceModel: self.deviceModel
        case .country: self.country
        }
    }
}
