import SwiftProtobuf
import WireMessages

/// The value of a record of `devicecheck.result`.
package enum DeviceCheckResult {
    /// Returns the encoded result.
    ///
    /// - Parameter answer: nil if nothing is known beyond the outcome.
    package static func encode(
        _ outcome: Outcome,
        _ answer: DeviceCheckAnswer?,
        as format: ValueFormat
    ) -> [UInt8] {
        switch format {
        case .json: self.json(outcome, answer)
        case .protobuf: self.message(outcome, answer).encoded()
        }
    }

    static func message(
        _ outcome: Outcome,
        _ answer: DeviceCheckAnswer?
    ) -> Flotilla_Devicecheck_V1_DeviceCheckResult {
        var message = Flotilla_Devicecheck_V1_DeviceCheckResult()
        message.outcome = Flotilla_Outcome_V1_Outcome(outcome)
        guard let answer else { return message }
        message.result = answer.result.rawValue
        if let bits = answer.bits {
            message.bit0 = bits.bit0
            message.bit1 = bits.bit1
        }
        message.lastUpdateMonth = answer.lastUpdateMonth ?? ""
        message.op = answer.header.operation.rawValue
        message.teamID = answer.header.teamID
        message.environment = answer.header.environment?.rawValue ?? ""
        message.bundleID = answer.header.bundleID
        message.requestID = answer.header.requestID
        if let tokenAge = answer.tokenAge { message.tokenAgeMs = tokenAge }
        if let httpStatus = answer.httpStatus { message.httpStatus = Int32(clamping: httpStatus) }
        message.appleRequestID = answer.appleRequestID ?? ""
        return message
    }

    private static func json(_ outcome: Outcome, _ answer: DeviceCheckAnswer?) -> [UInt8] {
        var json = JSONWriter(reserving: 640)
        json.object { json in
            json.object("outcome") { outcome.write(to: &$0) }
            guard let answer else { return }
            json.string("result", answer.result.rawValue)
            if let bits = answer.bits {
                json.bool("bit0", bits.bit0)
                json.bool("bit1", bits.bit1)
            }
            json.string("lastUpdateMonth", answer.lastUpdateMonth ?? "")
            json.string("op", answer.header.operation.rawValue)
            json.string("teamId", answer.header.teamID)
            json.string("environment", answer.header.environment?.rawValue ?? "")
            json.string("bundleId", answer.header.bundleID)
            json.string("requestId", answer.header.requestID)
            if let tokenAge = answer.tokenAge { json.int64("tokenAgeMs", tokenAge) }
            if let status = answer.httpStatus { json.int32("httpStatus", Int32(clamping: status)) }
            json.string("appleRequestId", answer.appleRequestID ?? "")
        }
        return json.text
    }
}
