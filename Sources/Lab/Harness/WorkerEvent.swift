import Foundation

/// A line of a worker's log, with the fields that are used here.
package struct WorkerEvent: Decodable {
    package var message: String
    package var port: String?

    package init?(_ line: String) {
        guard let event = try? JSONDecoder().decode(Self.self, from: Data(line.utf8)) else { return nil }
        self = event
    }
}
