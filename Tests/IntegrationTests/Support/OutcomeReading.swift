import Foundation
import Records

/// The outcome as a backend would read it: plain JSON, none of the fleet's own code.
struct ReadOutcome: Decodable, Hashable {
    struct Reason: Decodable, Hashable { var code: String }
    struct Body: Decodable, Hashable {
        var id: String
        var fate: String
        var reason: Reason?
        var attempts: Int?
        var deadLetterId: String?
    }
    var outcome: Body
}

extension InboundRecord {
    var outcome: ReadOutcome.Body? {
        self.value.flatMap { try? JSONDecoder().decode(ReadOutcome.self, from: Data($0)).outcome }
    }

    var outcomeID: String? { self.outcome?.id }

    func text(of header: String) -> String? {
        self.header(header).map { String(decoding: $0, as: UTF8.self) }
    }
}
