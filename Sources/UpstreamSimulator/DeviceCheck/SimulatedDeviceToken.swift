internal import Foundation

/// A device token of the simulator: readable, unlike Apple's, so that a test can say which device made it and when.
///
/// Base64 of `device=…;environment=…;made=…`. Whatever else is base64 is a token too, of a device of its own and of any
/// age and environment.
package struct SimulatedDeviceToken: Hashable, Sendable {
    package var device: String
    /// Nil: taken by both.
    package var environment: String?
    /// Unix milliseconds; nil: never expires.
    package var madeAt: Int64?

    package init(device: String, environment: String? = nil, madeAt: Int64? = nil) {
        self.device = device
        self.environment = environment
        self.madeAt = madeAt
    }

    /// As an app sends it to its server.
    package var base64: String {
        var text = "device=\(self.device)"
        if let environment { text += ";environment=\(environment)" }
        if let madeAt { text += ";made=\(madeAt)" }
        return Data(text.utf8).base64EncodedString()
    }

    /// Nil for what is not standard base64 in one line.
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
