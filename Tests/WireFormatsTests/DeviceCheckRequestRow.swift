import Foundation
import TestMaterial
import Testing

/// A row of `devicecheck_requests.jsonl`.
struct DeviceCheckRequestRow: Sendable, CustomTestStringConvertible {
    var name: String
    var isValid: Bool
    /// The request as JSON, to be read as whoever tests likes.
    var request: [UInt8]

    var testDescription: String { self.name }

    static let all: [DeviceCheckRequestRow] = VectorFile.lines("devicecheck_requests").compactMap { line in
        guard let row = (try? JSONSerialization.jsonObject(with: Data(line.utf8))) as? [String: Any],
            let name = row["name"] as? String, let isValid = row["valid"] as? Bool,
            let request = row["request"],
            let bytes = try? JSONSerialization.data(withJSONObject: request, options: .withoutEscapingSlashes)
        else { return nil }
        return DeviceCheckRequestRow(name: name, isValid: isValid, request: Array(bytes))
    }
}
