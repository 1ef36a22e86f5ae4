internal import Foundation

/// A device token of the simulator. It is readable, unlike Apple's, so that a test can decide which device
/// made it and when.
///
/// The token is the base64 of `device=…;environment=…;made=…`. Any other base64 is accepted as well: as a
/// token of a separate device, for both environments, which never expires.
package struct SimulatedDeviceToken: Hashable, Sendable {
    /// The name of the device.
    package var device: String
    /// `production` or `development`; nil if both accept the token.
    package var environment: String?
    /// The time at which the token was made, in Unix milliseconds; nil if the token never expires.
    package var madeAt: Int64?

    package init(device: String, environment: String? = nil, madeAt: Int64? = nil) {
        self.device = device
        self.environment = environment
        self.madeAt = madeAt
    }

    /// The token as an app sends it to its server.
    package var base64: String {
        var text = "device=\(self.device)"
        if let environment { text += ";environment=\(environment)" }
        if let madeAt { text += ";made=\(madeAt)" }
        return Data(text.utf8).base64EncodedString()
    }

    /// Decodes a token; nil if the text is not standard base64 in one line.
    init?(base64: String) {
        guard !base64.isEmpty, let bytes = StrictBase64.decode(Array(base64.utf8)) else { return nil }
        var fields: [String: String] = [:]
        for pair in String(decoding: bytes, as: UTF8.self).split(separator: ";") {
            let parts = pair.split(separator: "=", maxSplits: 1)
            if parts.count == 2 { fields[String(parts[0])] = String(parts[1]) }
        }
        self.device = fields["device"] ?? base64
        self.environment = fields["environment"]
        self.madeAt = fields["made"].flatMap { Int64($0) }
    }
}
