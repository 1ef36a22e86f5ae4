import Foundation
import Records
import SwiftProtobuf
import WireFormats
import WireMessages

struct PushArrivalAnswer {
    enum Standing: String { case accepted, duplicate, late, ineligible }
    var event: PushEvent?
    var standing: Standing?
    var sentMS: Int64?
    init(_ event: PushEvent, _ standing: Standing, sentMS: Int64?) {
        self.event = event
        self.standing = standing
        self.sentMS = sentMS
    }
    init(refused header: PushEventHeader) {}
}

enum PushArrivalResult {
    static func encode(_ outcome: Outcome, _ answer: PushArrivalAnswer?, as format: ValueFormat) -> [UInt8] {
        var m = Flotilla_Pusharrival_V1_PushArrivalResult()
        m.outcome.id = outcome.id
        m.outcome.fate = outcome.fate.rawValue
        m.result = answer?.standing?.rawValue ?? ""
        if let e = answer?.event {
            m.type = e.kind.rawValue
            m.provider = e.provider
            m.messageID = e.messageID
            m.deviceID = e.deviceID
        }
        return (try? m.jsonUTF8Bytes()) ?? []
    }
}

enum PushStatisticsRecord {
    static func encode(_ s: Flotilla_Pusharrival_V1_PushStatistics, as format: ValueFormat) -> [UInt8] {
        (try? s.jsonUTF8Bytes()) ?? []
    }
}
