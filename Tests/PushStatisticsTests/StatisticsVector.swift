import Foundation
import Records
import TestMaterial
import Testing
import WireFormats

@testable import PushStatistics

/// A row of `push_statistics.jsonl`: what happens to messages, and what must be told of them.
struct StatisticsVector: Sendable, CustomTestStringConvertible {
    var name: String
    var rules: CohortRules
    /// Each as JSON, as a backend would publish it.
    var events: [[UInt8]]
    /// The statistics that are expected of a message, by the names of the fields; JSON again.
    var expected: [[UInt8]]

    var testDescription: String { self.name }

    static let all = VectorFile.lines("push_statistics").compactMap { Self($0) }

    private init?(_ line: String) {
        func bytes(_ value: Any) -> [UInt8]? {
            (try? JSONSerialization.data(withJSONObject: value)).map { Array($0) }
        }
        guard let row = (try? JSONSerialization.jsonObject(with: Data(line.utf8))) as? [String: Any],
            let name = row["name"] as? String, let config = row["config"] as? [String: Any],
            let edges = config["lag_edges_s"] as? [Int], let lateness = config["allowed_lateness_s"] as? Int,
            let events = row["events"] as? [Any], let expected = row["expected"] as? [Any]
        else { return nil }
        self.name = name
        self.rules = CohortRules(
            allowedLateness: .seconds(lateness),
            lagEdges: edges.map { Int64($0) * 1_000 }
        )
        self.events = events.compactMap(bytes)
        self.expected = expected.compactMap(bytes)
    }
}

extension PushStatisticsRecord {
    /// A member by its name in the vectors; nil for null.
    func number(_ name: String) -> Double?? {
        switch name {
        case "sent": Double(self.sent)
        case "accepted": Double(self.accepted)
        case "rejected": Double(self.rejected)
        case "eligible": Double(self.eligible)
        case "arrived": Double(self.arrived)
        case "shown": Double(self.shown)
        case "opened": Double(self.opened)
        case "dismissed": Double(self.dismissed)
        case "duplicates": Double(self.duplicates)
        case "late_dropped": Double(self.lateDropped)
        case "skew_adjusted": Double(self.skewAdjusted)
        case "unknown_device": Double(self.unknownDevice)
        case "arrival_rate": .some(self.arrivalRate)
        case "open_rate": .some(self.openRate)
        case "ctr": .some(self.clickThroughRate)
        default: nil
        }
    }
}
