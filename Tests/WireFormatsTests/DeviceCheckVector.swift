import Foundation
import Testing

@testable import WireFormats

/// A row of `Vectors/devicecheck_decisions.jsonl`.
struct DeviceCheckDecision: Decodable, Sendable, CustomTestStringConvertible {
    struct State: Decodable, Sendable {
        var bit0: Bool
        var bit1: Bool
        var last_update_time: String?
    }

    var name: String
    var op: String
    var http_status: Int?
    var body: String?
    var action: String
    var result: State?

    var testDescription: String { self.name }

    static let all: [DeviceCheckDecision] = VectorFile.rows("devicecheck_decisions")
}

/// A row of `Vectors/devicecheck_requests.jsonl`.
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
